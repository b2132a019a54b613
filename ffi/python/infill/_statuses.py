"""The numbers of Error.code. Written by tests/header.rs."""

#: The block is too small. infill_size says how many bytes it takes.
ERROR_MEMORY = -1
#: A limit is zero, too large, or smaller than what it has to hold.
ERROR_LIMITS = -2
#: The block was not written by this version of the library. Nor was such a handle; or the byte order is another
#: one.
ERROR_FOREIGN = -3
#: The block is damaged.
ERROR_CORRUPT = -4
#: Every trial has been used. Of a process, every row.
ERROR_FULL = -5
#: Too many trials are open. The limits allow no more.
ERROR_TOO_MANY_OPEN = -6
#: The trial is unknown or already closed. It may be from an earlier use of its place.
ERROR_STALE_TRIAL = -7
#: The value or its variance is not a finite number. It is NaN or infinite, or the variance is negative.
ERROR_NOT_FINITE = -8
#: Every point of the space has been proposed. It is finite.
ERROR_EXHAUSTED = -9
#: A count or an index does not fit the object.
ERROR_SHAPE = -10
#: The space has no parameter or too many. The limits also count its conditions and values.
ERROR_DIMENSIONS = -11
#: A parameter has invalid bounds. They are not finite, not in order, or not positive on a log scale.
ERROR_BOUNDS = -12
#: A parameter has too few or too many values. It needs two, and no more than the scalar counts exactly.
ERROR_LEVELS = -13
#: A condition is invalid. It names no earlier parent, or values that the parent cannot take.
ERROR_CONDITION = -14
#: The point is outside of the space.
ERROR_OUT_OF_RANGE = -15
#: The kernel is malformed or too large. The limits allow no more nodes, lists or hyperparameters.
ERROR_KERNEL = -16
#: A hyperparameter, bound or prior is invalid. It is not finite or out of order.
ERROR_THETA = -17
#: The matrix is not positive definite. The largest jitter did not help.
ERROR_NOT_POSITIVE_DEFINITE = -18
#: The model has too little data. There is none, or fewer than its trend needs.
ERROR_NO_DATA = -19
#: A setting is out of its range. A number that names no choice is, too.
ERROR_CONFIG = -20
#: The backend failed. It could not do its work.
ERROR_BACKEND = -21
#: Not defined for this model, or not in this build. infill_capabilities tells what was left out.
ERROR_UNSUPPORTED = -22
#: The point is forbidden. A clause of the space says so.
ERROR_FORBIDDEN = -23
#: A forbidden clause is invalid. It names no parameter, or values that a parameter cannot take.
ERROR_CLAUSE = -24
#: Every configuration is forbidden. Or none was found that is not.
ERROR_INFEASIBLE = -25
#: The text cannot be read. It is not what it should be.
ERROR_FORMAT = -26
#: The block is over another space. infill_explain says what differs.
ERROR_SPACE = -27
#: A name or a label is taken or has a zero byte. A name is that of an earlier parameter, or a label is there
#: twice.
ERROR_NAME = -28
#: A pointer is NULL. It must not be.
ERROR_NULL = -64
#: A pointer is not aligned. A block wants INFILL_ALIGN bytes, other data what their type wants.
ERROR_ALIGNMENT = -65
#: A structure has a size that this version does not know. The size stands at its front.
ERROR_VERSION = -66
#: There is no memory left. Only hosted builds say so.
ERROR_ALLOCATION = -67
#: A callback stopped the run.
ABORTED = -68
#: A defect of the library; the handle is spoilt. Nothing but infill_free takes it (hosted builds).
PANIC = -69
#: The run is over: every trial or every point has been used. infill_next says so.
DONE = -70
