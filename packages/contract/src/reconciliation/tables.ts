import type { Table } from './operation.ts';

export const ofOrder = {
  order: ['merchantOrderId', 'text'],
  order_key: 'text',
  currency: 'text',
  lender: 'text',
} as const;
export const sealed = { period: 'text', sealed: ['isSealed', 'yesNo'] } as const;

/** Tables of lists that the console shows as well; it uses their columns without the schemas. */
export const tables = {
  alerts: {
    rows: 'deliveries',
    columns: {
      created_at: 'moment',
      message: ['id', 'text'],
      case: ['caseId', 'text'],
      state: 'word',
      tries: 'count',
      reason: 'text',
      next_try_at: 'moment',
      delivered_at: 'moment',
    },
    shown: ['created_at', 'message', 'case', 'state', 'tries', 'reason'],
    empty: 'No matching message.',
  },
  periodOrders: {
    rows: 'orders',
    columns: { ...sealed, step: 'word', ...ofOrder, amount: 'amount' },
    shown: ['order|order_key', 'lender', 'amount'],
    empty: 'No order has such an amount.',
  },
  daySums: {
    rows: 'sums',
    columns: {
      day: 'day',
      currency: 'text',
      count: 'count',
      amount: ['transaction', 'amount'],
      discount: 'amount',
      net: 'amount',
    },
    shown: ['day', 'count', 'amount', 'discount', 'net'],
    empty: 'No funding is on these days.',
  },
  unprovenDays: {
    rows: 'unproven',
    columns: { day: 'day', state: 'word', reason: 'text' },
    empty: 'No day is unproven.',
  },
  quarantine: {
    rows: 'quarantined',
    columns: {
      day: 'day',
      record: ['id', 'text'],
      order: ['merchantOrderId', 'text'],
      reason: 'text',
      seen_at: 'moment',
    },
    empty: 'No record is in quarantine.',
  },
  syncs: {
    rows: 'syncs',
    columns: {
      started_at: 'moment',
      ended_at: 'moment',
      sync: ['id', 'text'],
      state: 'word',
      reason: 'text',
      from: 'day',
      to: 'day',
      days_zone: ['zone', 'text'],
      days_planned: ['days.planned', 'count'],
      days_done: ['days.done', 'count'],
      days_unproven: ['days.unproven', 'count'],
      records: 'count',
      changed: 'count',
      gone: 'count',
      quarantined: 'count',
    },
    shown: [
      'started_at',
      'state',
      'from',
      'to',
      'days_unproven',
      'records',
      'changed',
      'gone',
      'quarantined',
      'reason',
    ],
    empty: 'There is no such sync.',
  },
  imports: {
    rows: 'imports',
    columns: {
      at: 'moment',
      import: ['id', 'text'],
      action: 'word',
      source: 'word',
      actor: 'text',
      count: 'count',
      withdrawn: ['isWithdrawn', 'yesNo'],
    },
    empty: 'No matching import.',
  },
  radar: {
    rows: 'rows',
    columns: {
      currency: 'text',
      lender: 'text',
      status: 'text',
      count: ['all.count', 'count'],
      amount: ['all.amount', 'amount'],
      wrong_count: ['wrong.count', 'count'],
      wrong_percent: ['wrongBasisPoints', 'percent'],
      wrong_amount: ['wrong.amount', 'amount'],
    },
    shown: ['lender', 'status', 'count', 'amount', 'wrong_count', 'wrong_percent', 'wrong_amount'],
    empty: 'No matching fundings.',
  },
  lags: {
    rows: 'lenders',
    columns: {
      currency: 'text',
      lender: 'text',
      settles: ['count', 'count'],
      p50_days: 'decimal',
      p95_days: 'decimal',
      from: 'day',
      to: 'day',
      zone: 'text',
    },
    shown: ['lender', 'currency', 'settles', 'p50_days', 'p95_days'],
    empty: 'No lender has funded a settle.',
  },
} as const satisfies Record<string, Table>;

type Shown<One> = One extends { shown: readonly (infer Name)[] }
  ? Name
  : One extends { columns: infer Columns }
    ? keyof Columns
    : never;
type First<Name> = Name extends `${infer One}|${string}` ? One : Name;
/** Names of the columns that a terminal and the console show. */
export type ShownColumn = First<Shown<(typeof tables)[keyof typeof tables]>>;
