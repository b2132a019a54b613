"""The numbers of Error.code. Written by tests/header.rs."""

#: The block is too small: infill_size says how many bytes it takes.
ERROR_MEMORY = -1
#: A limit is zero where it must not be, too large, or smaller than what it has to hold.
ERROR_LIMITS = -2
#: The block or handle was not written by this version of the library, or is of another byte order.
ERROR_FOREIGN = -3
#: The block is damaged.
ERROR_CORRUPT = -4
#: Every trial, or every row of a process, has been used.
ERROR_FULL = -5
#: More trials would be open than the limits allow.
ERROR_TOO_MANY_OPEN = -6
#: The trial is unknown, already closed, or from an earlier use of its place.
ERROR_STALE_TRIAL = -7
#: A value is NaN or infinite, or a variance is negative.
ERROR_NOT_FINITE = -8
#: Every point of a finite space has been proposed.
ERROR_EXHAUSTED = -9
#: A count or an index does not fit the object.
ERROR_SHAPE = -10
#: The space has no parameter, or more parameters, conditions or values than the limits allow.
ERROR_DIMENSIONS = -11
#: The bounds of a parameter are not finite, not in order, or not positive on a log scale.
ERROR_BOUNDS = -12
#: A parameter has fewer than two values, or more than the scalar counts exactly.
ERROR_LEVELS = -13
#: A condition names no earlier parent, or values that the parent cannot take.
ERROR_CONDITION = -14
#: The point is outside of the space.
ERROR_OUT_OF_RANGE = -15
#: The kernel is malformed, or larger than the limits allow.
ERROR_KERNEL = -16
#: A hyperparameter, bound or prior is not finite or out of order.
ERROR_THETA = -17
#: The matrix is not positive definite, even with the largest jitter.
ERROR_NOT_POSITIVE_DEFINITE = -18
#: The model has no data, or fewer than its trend needs.
ERROR_NO_DATA = -19
#: A setting is out of its range, or a number names no choice.
ERROR_CONFIG = -20
#: The backend could not do its work.
ERROR_BACKEND = -21
#: Not defined for this model, or left out when the library was built (infill_capabilities tells).
ERROR_UNSUPPORTED = -22
#: The point is one of those that a clause of the space forbids.
ERROR_FORBIDDEN = -23
#: A forbidden clause names no parameter, or values that a parameter cannot take.
ERROR_CLAUSE = -24
#: The space has no configuration that is not forbidden, or none that was found.
ERROR_INFEASIBLE = -25
#: The text is not what it should be.
ERROR_FORMAT = -26
#: The block is over another space: infill_explain says what differs.
ERROR_SPACE = -27
#: A parameter has the name of an earlier one, a label twice, or one of them holds a zero byte.
ERROR_NAME = -28
#: A pointer is NULL that must not be.
ERROR_NULL = -64
#: A pointer is not aligned for what it points to; a block wants INFILL_ALIGN bytes.
ERROR_ALIGNMENT = -65
#: The size at the front of a structure is none that this version of the library knows.
ERROR_VERSION = -66
#: There is no memory left (hosted builds).
ERROR_ALLOCATION = -67
#: A callback stopped the run.
ABORTED = -68
#: A defect of this library; the handle is spoilt, nothing but infill_free takes it (hosted builds).
PANIC = -69
#: The run is over: every trial, or every point of a finite space, has been used (infill_next).
DONE = -70
