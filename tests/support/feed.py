"""A small GTFS feed: two lines between three stops, weekdays and Saturdays, a night trip."""

from __future__ import annotations

import zipfile
from pathlib import Path

#: Monday to Friday `week`, Saturday `sat`; on Thursday 2026-01-01 Saturday's service.
FILES = {
    "agency.txt": "agency_id,agency_name,agency_url,agency_timezone\nA,Town,https://example.org,Europe/Oslo\n",
    "routes.txt": "route_id,route_short_name,route_type\nred,1,3\nblue,2,3\n",
    "calendar.txt": "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\n"
    "week,1,1,1,1,1,0,0,20251201,20260331\nsat,0,0,0,0,0,1,0,20251201,20260331\n",
    "calendar_dates.txt": "service_id,date,exception_type\nweek,20260101,2\nsat,20260101,1\n",
    "stops.txt": "stop_id,stop_name,stop_lat,stop_lon,parent_station\n"
    'north,"North, square",60.00,10.00,\nsouth,South,59.91,10.00,\nmill,Mill,,,mill_station\n'
    "mill_station,Mill station,60.00,10.09,\n",
    "trips.txt": "route_id,service_id,trip_id,block_id\n"
    "red,week,r1,B1\nred,week,r2,B1\nblue,week,b1,B2\nblue,week,n1,B2\nred,sat,s1,B9\n",
    # the stops of r1 lie in disorder, and its middle one has no time
    "stop_times.txt": "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"
    "r1,7:30:00,7:30:00,south,9\nr1, 7:00:00, 7:00:30,north,1\nr1,,,mill,5\n"
    "r2,8:00:00,8:00:00,south,1\nr2,8:30:00,8:30:00,north,2\n"
    "b1,7:10:00,7:10:00,mill,1\nb1,7:40:00,7:40:00,north,2\n"
    "n1,23:50:00,23:50:00,north,1\nn1,24:25:00,24:25:00,mill,2\n"
    "s1,9:00:00,9:00:00,north,1\ns1,9:30:00,9:30:00,south,2\n",
}


def feed(path: Path, folder: str = "", **changed: str | None) -> Path:
    """Write the feed as a zip file, with these files changed (None: left out), named without their ending."""
    files = FILES | {f"{name}.txt": text for name, text in changed.items()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            if text is not None:
                archive.writestr(folder + name, text)
    return path
