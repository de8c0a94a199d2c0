import { z } from 'zod';
import { person, words } from '../back-office/person.ts';
import { problemSchema } from '../storefront/problem.ts';
import type { caseVerbs } from './case-verbs.ts';
import { type CaseVerb } from './case-verbs.ts';
import {
  agingSchema,
  caseEventSchema,
  caseSchema,
  casesSchema,
  caseSummarySchema,
  claimsSchema,
} from './cases.ts';
import { caseFilters, caseSortDirections, caseSortNames } from './filters.ts';
import { change, keyHeader, read } from './operation.ts';
import { cursor, listed, name, noQuery, oneOf, parametersOf } from './query.ts';
import { orderExplanationSchema } from './reconciliation.ts';

const note = words.optional();

/** The case after an action. */
const decidedSchema = caseSchema.extend({
  /**
   * Everything that the case's page shows next, as seen by the process that recorded the action.
   * Only with `shown`.
   */
  page: z
    .object({
      /** Events of the case after `ifRevision`. */
      events: z.array(caseEventSchema),
      /** The order, with its timeline and its other cases. */
      order: orderExplanationSchema,
      /**
       * For the list in `shown`: the position that the case had, the number of other cases, and the
       * next case.
       */
      queue: z.object({
        position: z.int().min(1),
        others: z.int().min(0),
        next: caseSchema.optional(),
      }),
    })
    .optional(),
});
export type DecidedCase = z.infer<typeof decidedSchema>;

/** Declares an action on a case. @param fields what the person fills in */
const acting = <
  const Verb extends CaseVerb,
  const Fields extends z.ZodRawShape,
  const More extends object,
>(
  verb: Verb,
  summary: string,
  fields: Fields,
  more: More,
) =>
  change('cases', `/cases/:caseId/${verb}`, {
    summary,
    headers: keyHeader,
    query: z.strictObject({
      /**
       * The list that the person came from, as the query of `GET /cases`. If present, the answer
       * has `page`.
       */
      shown: z.string().max(2_000).optional(),
    }),
    body: z.strictObject({
      /** The person for whom the token's owner acts. The token itself names the owner. */
      by: person.optional(),
      /**
       * The revision that the person saw. If the case has changed since, the request is refused with
       * `case-changed`; an alert to finance is not a change.
       */
      ifRevision: z.int().min(1).optional(),
      ...fields,
    }),
    answer: decidedSchema,
    problems: [
      'case-not-found',
      'case-not-permitted',
      'case-changed',
      'idempotency-key-missing',
      'idempotency-key-reused',
      'standby',
    ],
    verb: { name: `cases ${verb}`, args: Object.keys(fields), ...more },
  });

/** The actions of people on a case, by their names in {@link caseVerbs}. */
export const caseOperations = {
  assign: acting(
    'assign',
    'Assign a case to a person; without a name, remove the assignment',
    { assignee: person.nullable() },
    { flags: { assignee: '<name>' } },
  ),
  note: acting('note', 'Add a note to a case', { note: words }, { flags: { note: '<text>' } }),
  resolve: acting('resolve', 'Resolve a case, with the reason', { reason: words }, {}),
  ignore: acting('ignore', 'Ignore a case until it changes', { reason: words }, {}),
  snooze: acting(
    'snooze',
    'Remove a case from the queue until a day, such as 2026-12-01, or until it changes',
    /** The case returns to the open queue when this day begins in the business zone. */
    { until: z.iso.date() },
    { flags: { until: '<day>' } },
  ),
  wake: acting('wake', 'Return a snoozed case to the queue', {}, {}),
  merge: acting(
    'merge',
    'Handle a case with another one, which is named by its id',
    /** `into`: the open case in the same currency that this one is merged into. */
    { into: z.string().min(1), note },
    {},
  ),
  split: acting('split', 'Handle a merged case on its own again', { note }, {}),
  reopen: acting('reopen', 'Reopen a resolved or ignored case', { reason: words }, {}),
} as const satisfies Record<CaseVerb, object>;

/** Maximum number of operations in a request for many cases. */
export const CASES_AT_ONCE = 1_000;

/**
 * Describes an operation in a request for many cases: the body of the single-case route, and its
 * path.
 */
const operating = <const Verb extends CaseVerb, const Shape extends z.ZodRawShape>(
  verb: Verb,
  { shape }: z.ZodObject<Shape>,
) => z.strictObject({ ...shape, caseId: name, verb: z.literal(verb) });

const { assign, note: noted, resolve, ignore, snooze, wake, merge, split, reopen } = caseOperations;
const operatingSchema = z.discriminatedUnion('verb', [
  operating('assign', assign.body),
  operating('note', noted.body),
  operating('resolve', resolve.body),
  operating('ignore', ignore.body),
  operating('snooze', snooze.body),
  operating('wake', wake.body),
  operating('merge', merge.body),
  operating('split', split.body),
  operating('reopen', reopen.body),
]);

/** An operation in a request for many cases. */
export type CaseOperation = z.output<typeof operatingSchema>;

/** What an operation in a request for many cases did, or why it did nothing. */
const operatedSchema = z.union([
  z.object({
    caseId: z.string(),
    case: caseSchema,
    /**
     * The case's revision after the operation; an operation that undoes it sends this as
     * `ifRevision`.
     */
    revision: caseSchema.shape.revision,
  }),
  z.object({
    caseId: z.string(),
    problem: problemSchema.omit({
      type: true,
      requestId: true,
      serviceRequestId: true,
      amounts: true,
    }),
  }),
]);

export const manyCasesOperations = {
  operate: change('cases', '/cases/operations', {
    summary: 'Act on up to 1,000 cases, each with its answer',
    description:
      'Each operation is the body of the route of its `verb`, such as `POST /cases/{caseId}/ignore`, with the `caseId`; a case may appear once. All are written in one transaction, in their order. Each has an answer, in the same order: the case, or the problem for which it was refused (`case-not-found`, `case-not-permitted`, `case-changed`, or `invalid-request` for a merge into an unknown case); a refusal does not affect the others. A request that changed something takes effect once: repeated with its key, it changes nothing more. An invalid body is refused as a whole.',
    headers: keyHeader,
    body: z.strictObject({
      operations: z
        .array(operatingSchema)
        .min(1)
        .max(CASES_AT_ONCE)
        .refine((all) => new Set(all.map(({ caseId }) => caseId)).size === all.length, {
          error: 'must name each case once',
        }),
    }),
    answer: z.object({ results: z.array(operatedSchema) }),
    problems: ['idempotency-key-missing', 'idempotency-key-reused', 'standby'],
  }),
} as const;

/** Parameters of a sorted list of cases. */
export const caseOrders = {
  /** By default, the most money first. Equal cases are sorted by age, oldest first. */
  sort: oneOf(caseSortNames).default('money'),
  /** Default: the usual one of the sort. */
  direction: oneOf(caseSortDirections).optional(),
};

/** Lists of all cases. */
export const caseListOperations = {
  list: read('/cases', {
    summary: 'Cases, by default those with the most money first',
    description:
      'Paged by cursor, for the same `sort` and `direction`. Sorted by `opened`, new cases neither repeat nor hide others. In another order, a case that changes between two pages may be in both or in none. Cases without a value, such as an amount of unknown currency under `money`, are last.',
    query: z.strictObject({
      ...parametersOf(caseFilters),
      ...caseOrders,
      merchantOrderId: name.optional(),
      after: cursor,
      limit: listed,
    }),
    answer: casesSchema,
  }),
  summary: read('/cases/summary', {
    summary: 'Number and money of the matching cases',
    query: z.strictObject(parametersOf(caseFilters)),
    answer: caseSummarySchema,
  }),
  aging: read('/cases/aging', {
    summary: 'Open cases by age and amount',
    query: noQuery,
    answer: agingSchema,
    verb: { name: 'cases aging' },
    table: {
      rows: 'cells',
      columns: {
        currency: 'text',
        age: ['days', 'word'],
        size: ['money', 'word'],
        cases: ['count', 'count'],
        amount: 'amount',
      },
      shown: ['age', 'size', 'cases', 'amount'],
      empty: 'No case is open.',
    },
  }),
  claims: read('/cases/claims', {
    summary:
      'The open cases of one lender, with what was sent and what it posted, for a message to it',
    description:
      'A case belongs to each lender with a funding of its order: without a funding no lender is known. A case without a line has one row. `sums` are on the first page. Paged by cursor.',
    query: z.strictObject({ lender: name, after: cursor, limit: listed }),
    answer: claimsSchema,
    verb: { name: 'cases claims', args: ['lender'], flags: { lender: '<lender>' } },
    table: {
      rows: 'claims',
      columns: {
        order: ['merchantOrderId', 'text'],
        order_key: 'text',
        case: ['caseId', 'text'],
        code: 'word',
        exception: 'text',
        currency: 'text',
        difference: 'amount',
        side: 'word',
        type: 'text',
        amount: 'amount',
        at: 'moment',
        transaction_id: 'text',
        merchant_transaction_id: 'text',
        lender_reference_id: 'text',
      },
      shown: ['order|order_key', 'exception', 'difference', 'side', 'type', 'amount', 'at'],
      empty: 'No open case has a funding of this lender.',
    },
  }),
} as const;

type Bodies = {
  [Verb in CaseVerb]: Omit<z.output<(typeof caseOperations)[Verb]['body']>, 'by' | 'ifRevision'>;
};
/** A person's action on a case: the kind of its entry in the trail, and what the person wrote. */
export type CaseAction = {
  [Verb in CaseVerb]: { kind: (typeof caseVerbs)[Verb]['kind'] } & Bodies[Verb];
}[CaseVerb];
