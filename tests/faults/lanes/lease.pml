/* The lease protocol of lanes, in all interleavings: two workers, two keys, three jobs.
 *
 * The store does each of its operations in one step. Between two steps of a worker anything may happen: its lease runs
 * out, others take its lane, it dies and another one begins in its place. A worker that was frozen goes on where it
 * was, with the token that it had: it is a zombie, and does not know it.
 *
 * The effect is made in another store, whose fence knows the greatest token and seq of each key.
 *
 * What must hold: effects of a key are made in the order of its jobs, each once (ORDER, ONCE); what is done is behind
 * the head only when its effect was made (LOST); what changes a head shows the newest token (STALE); and when faults
 * stop, every lane is empty in the end (DRAINED).
 *
 * With -DNO_FENCING, -DNO_FENCE, -DPOP_FIRST or -DNO_WAKING one rule is left out, and one of these fails.
 */
#define KEYS 2
#define LONGEST 2 /* the jobs of the first key; the second has one */

mtype = { ready, running, waiting, drained };

/* The store of the lanes. */
mtype condition[KEYS];
byte head[KEYS];
byte tail[KEYS];
byte token[KEYS];
bit beaten[KEYS]; /* whether its worker was heard of since the clock last looked */

/* The store of the effects. */
byte fence_token[KEYS];
byte fence_seq[KEYS];
byte effects[4]; /* how often each was made: two places for each key */

/* Faults that may still happen; without a bound there would be no end. */
byte expiries = 3;
byte deaths = 1;
byte failures = 1;
byte releases = 1;

#define effect_of(key, seq) effects[(key) * 2 + (seq) - 1]

#ifdef NO_FENCING
#define owns(key, mine, seq) (condition[key] == running && head[key] == seq)
#else
#define owns(key, mine, seq) (condition[key] == running && token[key] == mine && head[key] == seq)
#endif

/* The head has left: the next job, if there is one. */
inline go_on(key) {
    head[key]++;
    if
    :: head[key] > tail[key] -> condition[key] = drained
    :: else -> condition[key] = ready
    fi
}

inline die() {
    if
    :: atomic { deaths > 0 -> deaths--; goto begin }
    :: skip
    fi
}

proctype Worker() {
    byte key, mine, seq;
begin:
    /* What it had is forgotten; else each would be another state. */
    atomic { key = 0; mine = 0; seq = 0 };
    do
    :: atomic { /* claim a lane that is ready: its head stays where it is */
        if
        :: condition[0] == ready -> key = 0
        :: condition[1] == ready -> key = 1
        fi;
        condition[key] = running;
        token[key]++;
        beaten[key] = 1;
        mine = token[key];
        seq = head[key];
#ifdef POP_FIRST
        go_on(key);
#endif
    }
    die();
    if
    :: skip
    :: atomic { /* say that it is alive; who has lost its lane learns it and stops */
        if
        :: owns(key, mine, seq) -> beaten[key] = 1
        :: else -> goto begin
        fi
    }
    fi;
    if
    :: atomic { failures > 0 -> failures--; /* it failed: the lane waits */
        if
        :: owns(key, mine, seq) -> condition[key] = waiting
        :: else
        fi;
        goto begin
    }
    :: atomic { releases > 0 -> releases--; /* it stops in good order */
        if
        :: owns(key, mine, seq) -> condition[key] = ready
        :: else
        fi;
        goto begin
    }
    :: skip
    fi;
    atomic { /* the effect and the fence, in one transaction */
        if
#ifndef NO_FENCE
        :: mine < fence_token[key] -> goto begin /* somebody newer was here: stop */
        :: mine >= fence_token[key] && seq <= fence_seq[key] -> skip /* made before: it can be said to be done */
        :: mine >= fence_token[key] && seq > fence_seq[key] ->
#else
        :: true ->
#endif
            assert(seq == 1 || effect_of(key, seq - 1) > 0); /* ORDER */
            assert(seq == LONGEST || effect_of(key, LONGEST) == 0); /* ORDER */
            assert(effect_of(key, seq) == 0); /* ONCE */
            effect_of(key, seq)++;
            fence_token[key] = mine;
            fence_seq[key] = seq
        fi
    }
    die();
    atomic { /* commit */
        if
        :: owns(key, mine, seq) ->
            assert(mine == token[key]); /* STALE */
            assert(effect_of(key, seq) > 0); /* LOST */
            go_on(key)
        :: else
        fi;
        goto begin
    }
    :: condition[0] == drained && condition[1] == drained -> break
    od
}

/* The clock: a lease of which nothing was heard for a while runs out, a delay is over. */
active proctype Clock() {
end:
    do
    :: atomic { condition[0] == running && beaten[0] && expiries > 0 -> beaten[0] = 0 }
    :: atomic { condition[1] == running && beaten[1] && expiries > 0 -> beaten[1] = 0 }
    :: atomic { condition[0] == running && !beaten[0] && expiries > 0 -> expiries--; condition[0] = ready }
    :: atomic { condition[1] == running && !beaten[1] && expiries > 0 -> expiries--; condition[1] = ready }
#ifndef NO_WAKING
    :: atomic { condition[0] == waiting -> condition[0] = ready }
    :: atomic { condition[1] == waiting -> condition[1] = ready }
#endif
    /* Faults have stopped, and a lane is still with somebody who died: its lease runs out all the same. */
    :: atomic { timeout ->
        if
        :: condition[0] == running -> condition[0] = ready
        :: condition[1] == running -> condition[1] = ready
        :: else ->
            assert(condition[0] == drained && condition[1] == drained); /* DRAINED */
            assert(effects[0] == 1 && effects[1] == 1 && effects[2] == 1); /* ONCE */
            break
        fi
    }
    od
}

init {
    atomic {
        head[0] = 1; tail[0] = 2; condition[0] = ready;
        head[1] = 1; tail[1] = 1; condition[1] = ready;
        run Worker();
        run Worker();
    }
}
