"""Dynamic problems: a day is an instance, a state is what is known when one decides, a policy decides."""
