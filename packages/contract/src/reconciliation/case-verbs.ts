/** The handling of an exception. */
export const caseStates = ['open', 'resolved', 'ignored', 'closed'] as const;
export type CaseState = (typeof caseStates)[number];

interface Terms {
  /** The entry that the action makes in the trail of the case. */
  kind: string;
  /** The field of the request that a person fills in. */
  field?: string;
  /** States that permit the action; by default all, also of a case that is merged. */
  states?: readonly CaseState[];
  /** Which cases have the action: those that are merged into another one, or those that are snoozed. */
  only?: 'merged' | 'snoozed';
}

/**
 * What a person can do with a case. An action with `states` is not permitted on a case that is handled with
 * another one, unless it is for those `only`.
 */
export const caseVerbs = {
  assign: { kind: 'assigned', field: 'assignee' },
  resolve: { kind: 'resolved', field: 'reason', states: ['open'] },
  ignore: { kind: 'ignored', field: 'reason', states: ['open'] },
  snooze: { kind: 'snoozed', field: 'until', states: ['open'] },
  wake: { kind: 'woken', only: 'snoozed' },
  merge: { kind: 'merged', field: 'into', states: ['open'] },
  split: { kind: 'split', states: ['open', 'resolved', 'ignored'], only: 'merged' },
  reopen: { kind: 'reopened', field: 'reason', states: ['resolved', 'ignored'] },
  note: { kind: 'noted', field: 'note' },
} as const satisfies Record<string, Terms>;
export type CaseVerb = keyof typeof caseVerbs;
export const caseVerbNames = Object.keys(caseVerbs) as CaseVerb[];

/** Returns the field of an action that a person fills in; undefined if there is none. */
export function fieldOfVerb(verb: CaseVerb): string | undefined {
  const { field }: Terms = caseVerbs[verb];
  return field;
}

/** Returns what a person can do with a case. */
export function permittedVerbs(one: {
  state: CaseState;
  isMerged: boolean;
  isSnoozed: boolean;
  /** Whether others are handled with it. */
  isMain: boolean;
}): CaseVerb[] {
  return caseVerbNames.filter((verb) => {
    const { only, states }: Terms = caseVerbs[verb];
    if (only === 'snoozed') return one.isSnoozed;
    if (states === undefined) return true;
    if (one.isMerged !== (only === 'merged') || !states.includes(one.state)) return false;
    return verb !== 'merge' || !one.isMain;
  });
}
