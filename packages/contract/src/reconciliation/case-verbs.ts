/** The states of a case. */
export const caseStates = ['open', 'resolved', 'ignored', 'closed'] as const;
export type CaseState = (typeof caseStates)[number];

interface Terms {
  /** Kind of the event that the action adds to the case's trail. */
  kind: string;
  /** The request field that the person fills in. */
  field?: string;
  /** States that permit the action; by default all, including those of a merged case. */
  states?: readonly CaseState[];
  /** Restricts the action to merged cases, or to snoozed ones. */
  only?: 'merged' | 'snoozed';
}

/**
 * The actions of people on a case. An action with `states` is not permitted on a merged case, unless
 * `only` names merged cases.
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

/** Returns the field that a person fills in for an action, or undefined. */
export function fieldOfVerb(verb: CaseVerb): string | undefined {
  const { field }: Terms = caseVerbs[verb];
  return field;
}

/** Returns the actions that a person may take on a case. */
export function permittedVerbs(one: {
  state: CaseState;
  isMerged: boolean;
  isSnoozed: boolean;
  /** Whether other cases are merged into it. */
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
