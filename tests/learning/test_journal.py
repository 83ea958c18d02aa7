"""The journal file: what is taken up, what is dropped, what is refused."""

import json

import numpy as np
import pytest

from colayer.errors import JournalError
from colayer.learning.journal import Journal, Record
from support.errors import rejects

IDENTITY = {"problem": "toy", "seed": 0, "options": {"decoder": "none"}}
RECORDS = [Record(1, [0.1, -0.0], 1 / 3, 0.5), Record(2, [1e-300, 2.5], 7.0, None)]


@pytest.fixture
def path(tmp_path):
    """A journal with two evaluations, unfinished."""
    path = tmp_path / "run.journal"
    with Journal(path, IDENTITY, 2) as journal:
        journal.append(RECORDS)
    return path


def test_lines_are_json_with_the_identity_first(path):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0] == {"format": 1, "identity": IDENTITY}
    assert lines[1] == {"evaluation": 1, "weights": [0.1, -0.0], "loss": 1 / 3, "validation": 0.5}
    assert lines[2]["validation"] is None


def test_records_come_back_bit_for_bit(tmp_path):
    """Random bit patterns of finite doubles, including subnormal ones and signed zeros."""
    bits = np.random.default_rng(0).integers(0, 2**64, 2000, dtype=np.uint64).view(np.float64)
    values = [*bits[np.isfinite(bits)].tolist(), 0.0, -0.0, 5e-324, 1.7976931348623157e308]
    with Journal(tmp_path / "j", IDENTITY, len(values)) as journal:
        journal.append([Record(1, values, values[0], values[1])])
    with Journal(tmp_path / "j", IDENTITY, len(values)) as journal:
        [record] = journal.records
    assert np.array(record.weights).tobytes() == np.array(values).tobytes()
    assert (record.loss, record.validation) == (values[0], values[1])


def test_a_journal_goes_on_where_it_ended(path):
    with Journal(path, IDENTITY, 2) as journal:
        assert journal.records == RECORDS
        assert not journal.finished
        journal.append([Record(3, [1.0, 1.0], 2.0, None)])
        journal.finish()
    with Journal(path, IDENTITY, 2) as journal:
        assert len(journal.records) == 3
        assert journal.finished


def test_identity_is_compared_as_json(path):
    """Tuples, numpy numbers and the order of keys are all the same on disk."""
    same = {"seed": np.int64(0), "options": {"decoder": np.str_("none")}, "problem": "toy"}
    with Journal(path, same, 2) as journal:
        assert len(journal.records) == 2


@pytest.mark.parametrize("cut", range(1, 60))
def test_an_incomplete_last_line_is_dropped(path, cut):
    """Cut anywhere in the last line, the journal holds the lines before it, on disk as well."""
    whole = path.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    path.write_bytes(whole[: max(last, len(whole) - cut)])
    with Journal(path, IDENTITY, 2) as journal:
        assert journal.records == RECORDS[:1]
    assert path.read_bytes() == whole[:last]


def test_a_first_line_cut_anywhere_is_begun_afresh(path):
    """Killed before the identity was complete: nothing is lost."""
    header = path.read_bytes().split(b"\n")[0]
    for cut in range(len(header) + 1):
        path.write_bytes(header[:cut])
        with Journal(path, IDENTITY, 2) as journal:
            assert journal.records == []
        assert path.read_bytes() == header + b"\n"


def test_some_other_file_is_refused_and_left_alone(tmp_path):
    """A model given as the journal by mistake, with or without a newline at its end, must survive."""
    for content in (b'{"format": 1, "model": "linear"}', b'{"format": 1, "model": "linear"}\n', b"a,b\n1,2\n", b"\n"):
        path = tmp_path / "M.json"
        path.write_bytes(content)
        with rejects(JournalError, where="M.json:1"):
            Journal(path, IDENTITY, 2)
        assert path.read_bytes() == content


def test_another_identity_is_refused_with_what_differs(path):
    kept = path.read_bytes()
    with rejects(JournalError, where="run.journal"):
        Journal(path, IDENTITY | {"seed": 1}, 2)
    with rejects(JournalError, where="run.journal"):
        Journal(path, IDENTITY | {"sigma": 1.0}, 2)
    with rejects(JournalError, where="run.journal"):
        Journal(path, {"seed": 1, "options": {"decoder": "none"}}, 2)
    assert path.read_bytes() == kept


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"garbage",
        b'{"evaluation":2}',
        b'{"evaluation":2,"weights":[1.0,2.0],"loss":null,"validation":null}',
        b'{"evaluation":2,"weights":[1.0,NaN],"loss":1.0,"validation":null}',
        b'{"evaluation":2,"weights":[1.0,1e999],"loss":1.0,"validation":null}',
        b'{"evaluation":2,"weights":[1.0],"loss":1.0,"validation":null}',
        b'{"evaluation":3,"weights":[1.0,2.0],"loss":1.0,"validation":null}',
        b'{"evaluation":1,"weights":[1.0,2.0],"loss":1.0,"validation":null}',
        b'{"evaluation":2,"weights":[1.0,2.0],"loss":1.0,"validation":null,"more":1}',
        b'{"finished":2}',
        b'\xff\xfe{"finished":1}',
    ],
)
def test_a_bad_line_is_refused_by_its_number(path, line):
    """Complete but wrong lines are not what a killed process leaves: nothing is guessed, nothing is changed."""
    lines = path.read_bytes().split(b"\n")
    content = b"\n".join([*lines[:2], line, b""])
    path.write_bytes(content)
    with rejects(JournalError, where="run.journal:3"):
        Journal(path, IDENTITY, 2)
    assert path.read_bytes() == content


def test_a_line_after_the_end_is_refused(path):
    with Journal(path, IDENTITY, 2) as journal:
        journal.finish()
    path.write_bytes(path.read_bytes() + b'{"finished":2}\n')
    with rejects(JournalError, where="run.journal:5"):
        Journal(path, IDENTITY, 2)


def test_another_format_is_refused(path):
    path.write_bytes(path.read_bytes().replace(b'{"format":1', b'{"format":2', 1))
    with rejects(JournalError, where="run.journal:1"):
        Journal(path, IDENTITY, 2)


def test_a_journal_serves_one_run_at_a_time(path):
    """The lock goes with the file, so that a killed run leaves none behind."""
    pytest.importorskip("fcntl")
    with Journal(path, IDENTITY, 2), rejects(JournalError, where="run.journal"):
        Journal(path, IDENTITY, 2)
    with Journal(path, IDENTITY, 2) as journal:
        assert len(journal.records) == 2


def test_a_file_that_cannot_be_opened_is_named(tmp_path):
    with rejects(JournalError, where="j"):
        Journal(tmp_path / "missing" / "j", IDENTITY, 2)
    with rejects(JournalError, where="test_a_file_that_cannot_be_ope0"):
        Journal(tmp_path, IDENTITY, 2)


def test_a_budget_of_its_own_is_a_section_of_its_own(tmp_path):
    path = tmp_path / "j"
    for budget, weights in ((2, [[1.0], [2.0]]), (3, [[1.0], [3.0]])):
        with Journal(path, {**IDENTITY, "evaluations": budget}, 1) as journal:
            journal.append([Record(k + 1, w, w[0], None) for k, w in enumerate(weights)])
            journal.finish()
    assert [json.loads(line) for line in path.read_text().splitlines()][3:5] == [{"finished": 2}, {"evaluations": 3}]
    with Journal(path, {**IDENTITY, "evaluations": 2}, 1) as journal:
        assert [record.loss for record in journal.records] == [1.0, 2.0]
        assert sorted(record.loss for record in journal.earlier.values()) == [1.0, 3.0]
        assert journal.finished
    with Journal(path, {**IDENTITY, "evaluations": 4}, 1) as journal:
        assert (journal.records, journal.finished, len(journal.earlier)) == ([], False, 3)
        assert journal.line(1) == 10


def test_a_byte_that_is_not_utf_8_is_refused_by_its_line(path):
    path.write_bytes(
        path.read_bytes() + b'{"evaluation": 3, "weights": [1, 2], "loss": 1, "validation": null, "x\xff": 1}\n'
    )
    with rejects(JournalError, where="run.journal:4"):
        Journal(path, IDENTITY, 2)


def test_a_full_disk_is_one_line_and_what_was_written_goes_on(path, monkeypatch):
    """Of the line that does not fit nothing stays, and the run can be taken up again."""
    journal = Journal(path, IDENTITY, 2)
    file = journal._file

    class Full:
        def write(self, data):
            if len(data) > 10:
                return file.write(data[:10])
            raise OSError(28, "No space left on device")

        def fileno(self):
            return file.fileno()

        def truncate(self, size):
            return file.truncate(size)

        def close(self):
            file.close()

    whole = path.read_bytes()
    journal._file = Full()
    with rejects(JournalError, where="run.journal"):
        journal.append([Record(3, [1.0, 2.0], 1.0, None)])
    journal.close()
    assert path.read_bytes() == whole
    with Journal(path, IDENTITY, 2) as again:
        assert again.records == RECORDS


def test_a_line_without_a_cost_stands_for_one_evaluation() -> None:
    assert Record(1, [0.5], 2.0, None).cost == 1
