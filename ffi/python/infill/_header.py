"""infill.h as tables, for _abi. Written by tests/header.rs."""

#: The prefix of an enumeration, or its name if there is none, and its members.
NUMBERS = """
CAN STD=1 FAER=2 F32=4 F64=8 GPU=16
STATUS - OK=0 ERROR_MEMORY=-1 ERROR_LIMITS=-2 ERROR_FOREIGN=-3 ERROR_CORRUPT=-4 ERROR_FULL=-5 ERROR_TOO_MANY_OPEN=-6
    ERROR_STALE_TRIAL=-7 ERROR_NOT_FINITE=-8 ERROR_EXHAUSTED=-9 ERROR_SHAPE=-10 ERROR_DIMENSIONS=-11 ERROR_BOUNDS=-12
    ERROR_LEVELS=-13 ERROR_CONDITION=-14 ERROR_OUT_OF_RANGE=-15 ERROR_KERNEL=-16 ERROR_THETA=-17
    ERROR_NOT_POSITIVE_DEFINITE=-18 ERROR_NO_DATA=-19 ERROR_CONFIG=-20 ERROR_BACKEND=-21 ERROR_UNSUPPORTED=-22
    ERROR_FORBIDDEN=-23 ERROR_CLAUSE=-24 ERROR_INFEASIBLE=-25 ERROR_FORMAT=-26 ERROR_NULL=-64 ERROR_ALIGNMENT=-65
    ERROR_VERSION=-66 ERROR_ALLOCATION=-67 ABORTED=-68 PANIC=-69 DONE=-70
KIND REAL=1 INTEGER=2 ORDINAL=3 CATEGORICAL=4
WHEN EQUALS=1 IN=2 BETWEEN=3
IMPUTE CENTRE=0 USUAL=1 OUTSIDE=2 SCATTER=3
ORIGIN DESIGN=1 MODEL=2 QUEUE=3 FALLBACK=4 METHOD=5 RESUMED=6
STATE QUEUED=1 OPEN=2 DONE=3 FAILED=4
SCALAR - F32=4 F64=8
DESIGN UNIFORM=0 LATIN_HYPERCUBE=1 SOBOL=2 HALTON=3 GRID=4
MODEL PROCESS=0 STUDENT=1 FITC=2 VARIATIONAL=3 SPECTRUM=4 RANDOM_FOREST=5 EXTRA_TREES=6 BOOSTED_TREES=7 RANDOM=8
    GRID=9 SOBOL=10 ANNEAL=11 PARZEN=12 CMA_ES=13 MI_ES=14 MONDRIAN=15
TREND ZERO=0 CONSTANT=1 LINEAR=2 QUADRATIC=3
HYPER MAP=0 MCMC=1 QUADRATURE=2
SAMPLER SLICE=0 METROPOLIS=1 FIXED=2 WHITENED=3 SURROGATE_METROPOLIS=4 SURROGATE_SLICE=5
OBJECTIVE EVIDENCE=0 LEAVE_ONE_OUT=1
SPREAD TOTAL=0 ACROSS=1
WARP NONE=0 KUMARASWAMY=1 BETA=2
CATEGORIES HAMMING=0 EXCHANGEABLE=1 ONE_HOT=2 INDEX=3
STRUCTURE PRODUCT=0 SUM=1 BOTH=2
BRANCHES SHARED=0 APART=1
TRANSFORM NONE=0 STANDARD=1 POWER=2 RANK=3 BOX_COX=4 YEO_JOHNSON=5
ACQUISITION PROBABILITY=1 IMPROVEMENT=2 LOG_IMPROVEMENT=3 BOUND=4 GENERALISED=5 LOG_MGF=6 DEVIATION=7 NOISY=8
COOLING NONE=0 EXPONENTIAL=1 LINEAR=2
POLICY CLOSED=0 ENTROPY_SEARCH=1 PREDICTIVE_ENTROPY=2 MAX_VALUE=3 THOMPSON=4 SPECTRAL=5 KNOWLEDGE=6 HEDGE=7
    PORTFOLIO=8 NOISY=9
MINIMA JOINT=0 GUMBEL=1
PENDING BELIEVER=0 LIAR_MIN=1 LIAR_MEAN=2 LIAR_MAX=3 FANTASIES=4 PENALTY=5 TEMPERATURES=6 JOINT_EI=7
INCUMBENT OBSERVED=0 MEAN=1
SEARCH AUTO=0 ASCENT=1 SMAC=2 TYPED=3 EVOLUTION=4 COVARIANCE=5 RANDOM=6
STRATEGY AUTO=0 IMPUTE=1 SINGLE=2 WHOLE=3 BASELINE=4
FULL REFUSE=0 DROP_WORST=1
OP SUM=1 PRODUCT=2 SCALE=3 CONSTANT=4 SQUARED_EXPONENTIAL=16 MATERN12=17 MATERN32=18 MATERN52=19 MATERN=20
    RATIONAL_QUADRATIC=21 GAMMA_EXPONENTIAL=22 LAPLACE=24 PERIODIC=25 COSINE=26 LINEAR=32 POLYNOMIAL=33 ARC_SINE=34
    HAMMING=48 EXCHANGEABLE=49 BRANCH=64 ACTIVE=65 ARC=66 ONE_HOT=67
ROLE LENGTH=1 VARIANCE=2 SHAPE=3 PERIOD=4 WEIGHT=5 BIAS=6 CORRELATION=7 ANGLE=8 RADIUS=9
PRIOR LOG_NORMAL=0 UNIFORM=1 GAMMA=2 HORSESHOE=3
NODE ARD=1 NO_BIAS=2
STATISTIC MEAN=0 MEDIAN=1 QUANTILE=2
POWER ANY=0 LOW=1 HIGH=2
API ANY=0 VULKAN=1 GL=2 METAL=3 DX12=4
"""

#: The fields of a structure, by their types.
STRUCTURES = """
param: uint32 kind log; double lo hi; double* levels; size_t count; double usual; uint32 has_usual reserved
condition: uint32 child parent when either; double lo hi; double* values; size_t count
term: uint32 parameter when also reserved; double lo hi; double* values; size_t count
space: size_t size; param* params; size_t dims; condition* conditions; size_t count; term* forbidden; size_t terms;
    uint32 impute reserved
step: uint32 evaluation evaluations; double* x; size_t dims; double value best
proposal: trial trial; double acquisition; uint32 origin reserved
record: trial trial; uint64 sequence; double value variance; uint32 state reserved
limits: uint32 trials dims open conditions levels nodes lists thetas columns candidates starts exact posteriors
    anchors work features trees tree_nodes members warped terms values branch_trials reserved
hyper: uint32 role prior; double value lo hi prior_mean prior_sd
node: uint32 op flags degree first; size_t count; uint16* list; hyper* hypers; size_t hyper_count
kernel: node* nodes; size_t count
config: size_t size; uint64 seed; limits limits; uint32 scalar start design model; double model_freedom; kernel*
    kernel; uint32 model_learn_freedom trend; double noise_variance noise_lo noise_hi noise_sd; uint32 hyper
    hyper_count sampler sampler_burn_in sampler_thin sampler_out sampler_shrink sampler_latent; double sampler_width;
    uint32 training_objective training_restarts training_draws training_evaluations; double training_tolerance
    training_reach refit_growth refit_afresh; uint32 refit_evaluations refit_plenty forest_spread forest_leaf
    forest_depth forest_bootstrap; double forest_features forest_floor forest_rate forest_share forest_low
    forest_high; uint32 warp categories structure branches targets acquisition; double acquisition_parameter delta;
    uint32 cooling cooling_steps; double cooling_from cooling_to; uint32 policy policy_representers policy_draws
    policy_fantasies policy_features policy_minima pending pending_draws incumbent interleave_every; double
    interleave_beta; uint32 grid_levels parzen_candidates parzen_most parzen_liar; double parzen_share parzen_prior
    anneal_heat anneal_cooling anneal_reach; uint32 evolve_parents evolve_offspring search_method search_global
    search_local search_starts search_rounds polish_evaluations; double polish_tolerance polish_reach; uint32 strategy
    strategy_parameter strategy_start strategy_budget strategy_own_minimum repeats when_full reserved
covariance: size_t size; eval eval; gradient gradient; gradient_x gradient_x; void* user; size_t thetas; double* start
    lo hi
gp_config: size_t size rows dims batch; kernel* kernel; covariance* covariance; double noise_variance noise_lo
    noise_hi noise_sd; uint32 scalar trend
training: size_t size; uint32 objective restarts draws evaluations; double tolerance reach
race_rules: size_t size; uint64 seed; double penalty cap slack quantile; uint32 statistic scalar configs runs most
    challengers instances seeds again reserved
run: uint64 id seed; double cap; uint32 config instance
run_record: uint64 seed; double cap cost; uint32 config instance capped reserved
gpu_options: size_t size; char* name; uint64 worth; uint32 power api software batch sets patience
frace_plan: size_t size; uint64 seed; double level; uint32 budget first each instances scalar elitist; double cap
    penalty slack
friedman: double chi_squared p corrected corrected_p f f_p; uint64 freedom below
wilcoxon: double statistic p approximate; uint64 pairs; uint32 exact reserved
"""

#: What is called back, and what may be called: result and parameters, then who has them.
CALLS = """
double void* double* double* double*: eval
int32 void* double* size_t double*: objective
int32 void* step*: progress
void void* double* double* double* double*: gradient gradient_x
"""
FUNCTIONS = """
char* char* uint32: choice_name
char* int32: status_str
char* uint32: preset_name
char*: version_str
int64 space*: space_fault
size_t char** double* size_t double size_t: compare_diagram_size
size_t frace*: frace_bytes
size_t gp*: gp_rows gp_thetas
size_t gp_config*: gp_size
size_t opt* limits*: clone_size
size_t opt*: count closed remaining dims bytes
size_t race*: race_count race_bytes
size_t race_rules*: race_size
size_t space* config*: size
size_t space* frace_plan*: frace_size
size_t space*: design_size
size_t uint32 uint32 uint32: words
size_t: align gpu_count
status backend* char* size_t: backend_reason
status char* char* uint32*: choice_number
status char* size_t document**: document_read
status char** double* size_t double size_t char* size_t: compare_diagram
status config* size_t char*: config_preset
status config* size_t: config_default
status document* char* size_t double* size_t: document_point
status document* char* size_t size_t*: document_write
status document* double* size_t char* size_t size_t*: document_values
status document* double* size_t double* size_t: document_vector
status document* size_t char* size_t size_t*: document_name
status document* space**: document_space
status double* double* size_t wilcoxon*: compare_wilcoxon
status double* size_t size_t double*: compare_ranks compare_win_rates
status double* size_t size_t friedman*: compare_friedman
status double* size_t size_t int64*: compare_net_wins
status frace* double* size_t run*: frace_ask
status frace* double* size_t uint32*: frace_best
status frace* uint64 double: frace_tell
status frace* uint64: frace_capped frace_crashed frace_forget
status frace_plan* size_t: frace_default
status gp* backend* training* uint64 double*: gp_train
status gp* backend* uint32 double* double* size_t: gp_evidence
status gp* backend*: gp_fit
status gp* double double double: gp_set_noise
status gp* double* size_t double double: gp_push gp_extend
status gp* double* size_t double* double* double* double*: gp_predict_gradient
status gp* double* size_t double* double*: gp_predict
status gp* double* size_t size_t double* double*: gp_predict_joint
status gp* double* size_t size_t uint64 double* double*: gp_sample
status gp* double* size_t: gp_theta gp_set_theta gp_trend
status gp* double*: gp_jitter gp_likelihood
status gp* size_t: gp_remove
status gp*: gp_clear
status gp_config* gp**: gp_new
status gp_config* size_t: gp_config_default
status gpu_options* size_t: gpu_options_default
status kernel* double* size_t double* double* size_t double* double* double*: kernel_gradient
status kernel* double* size_t double* double* size_t double*: kernel_eval
status kernel* double* size_t double* size_t size_t double*: kernel_gram
status kernel* size_t double* size_t: kernel_start
status kernel* size_t size_t*: kernel_thetas
status opt* backend* double* size_t proposal*: ask_with next_with
status opt* backend* objective progress void* uint32: minimize_with
status opt* double* size_t double trial*: observe
status opt* double* size_t double* double*: recommend predict
status opt* double* size_t double*: best
status opt* double* size_t trial*: ask next enqueue
status opt* gpu_options* backend**: backend_gpu
status opt* limits* void* size_t opt**: clone
status opt* objective void* uint32: minimize
status opt* size_t double* size_t record*: record_at
status opt* trial double double: tell_noisy
status opt* trial double* size_t record*: record_of
status opt* trial double: tell
status opt* trial: fail forget
status opt*: relearn
status race* run*: race_ask
status race* size_t run_record*: race_record
status race* uint32 double*: race_cost
status race* uint32*: race_incumbent
status race* uint32: race_challenge race_begin
status race* uint64 double: race_tell
status race* uint64: race_capped race_crashed race_forget
status race_rules* size_t: race_default
status size_t backend**: backend_faer
status size_t char* size_t uint32* uint32*: gpu_adapter
status size_t size_t double double*: compare_critical_difference
status space* char** document**: document_of
status space* config* opt**: new
status training* size_t: training_default
status uint32 double double double double double* double* double*: acquisition_gradient
status uint32 double double double double double*: acquisition_score
status uint64 size_t double double*: bound_schedule
status void* size_t frace**: frace_attach
status void* size_t gp_config* gp**: gp_init
status void* size_t opt**: attach
status void* size_t race**: race_attach
status void* size_t race_rules* race**: race_init
status void* size_t space* config* opt**: init
status void* size_t space* frace_plan* frace**: frace_init
status void* size_t space* uint32 uint64 uint32 double* size_t size_t: design
uint32 opt* space*: has_space
uint32 opt*: scalar_of
uint32 race* uint32: race_runs
uint32 race*: race_over
uint32: version capabilities
void backend*: backend_free
void document*: document_free
void gp*: gp_free
void opt*: free
"""
