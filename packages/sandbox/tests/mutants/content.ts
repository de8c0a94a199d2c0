import { fundingPaths, primePath } from '../../src/conformance/subject.ts';
import { rewriteRecords, type Deviation, type MutantCall } from './call.ts';
import type { Mutant } from './mutant.ts';

const { report, 'records-v1': recordsV1, 'records-v2': recordsV2 } = fundingPaths;
const charges = '/v2/post-sale/charges';

type Rewrite = Parameters<typeof rewriteRecords>[1];

/** Rewrites the records of some operations. */
const records =
  (paths: readonly string[], rewrite: Rewrite): Deviation =>
  async (call) => {
    const response = await call.forward();
    return paths.includes(call.path) ? rewriteRecords(response, rewrite) : response;
  };

/** Changes the requests of one operation. */
const requestOf =
  (path: string, change: (call: MutantCall) => void): Deviation =>
  (call) => {
    if (call.path === path) change(call);
    return call.forward();
  };

/** Replaces the successful responses of one operation. */
const replaced =
  (path: string, answer: () => Response): Deviation =>
  async (call) => {
    const response = await call.forward();
    return call.path === path && response.ok ? answer() : response;
  };

const removed = (path: string) => replaced(path, () => Response.json({}, { status: 404 }));

const renamed =
  (from: string, to: string): Rewrite =>
  (record) =>
    record.status === from ? { ...record, status: to } : record;

/** Mutants that return wrong content. */
export const contentMutants: readonly Mutant[] = [
  {
    name: 'v1-renames-a-field',
    breaks: ['2.shape', 'published.fundings.records-v1'],
    how: records([recordsV1], ({ netAmount, ...record }) => ({ ...record, net: netAmount })),
  },
  {
    name: 'v2-has-a-field-more',
    breaks: ['2.shape', 'published.fundings.records-v2'],
    how: records([recordsV2], (record) => ({ ...record, extra: 1 })),
  },
  {
    name: 'report-amounts-as-text',
    breaks: ['2.shape', 'published.fundings.report'],
    how: records([report], (record) => ({ ...record, netAmount: String(record.netAmount) })),
  },
  {
    name: 'report-is-a-bare-list',
    breaks: ['2.shape', 'published.fundings.report'],
    how: replaced(report, () => Response.json([])),
  },
  {
    name: 'missing-has-a-match',
    breaks: ['2.missing'],
    how: records([report], (record, all) => {
      const known = all.find(({ merchantTransactionId }) => merchantTransactionId !== undefined);
      return record.status === 'MISSING'
        ? { ...record, merchantTransactionId: known?.merchantTransactionId }
        : record;
    }),
  },
  {
    name: 'charge-without-confirmation',
    breaks: ['2.required'],
    how: requestOf(charges, (call) => {
      call.body = JSON.stringify({ confirmationToken: 'x', ...parsed(call.body) });
    }),
  },
  {
    name: 'charge-with-any-length',
    breaks: ['2.length'],
    how: requestOf(charges, (call) => {
      call.body = JSON.stringify(parsed(call.body), (_name, value: unknown) =>
        typeof value === 'string' ? value.slice(0, 256) : value,
      );
    }),
  },
  {
    name: 'charge-with-any-settle',
    breaks: ['2.enumerated'],
    how: requestOf(charges, (call) => {
      if (call.query.get('settle') !== 'true') call.query.delete('settle');
    }),
  },
  {
    name: 'records-show-missing',
    breaks: ['3.missing'],
    how: requestOf(recordsV1, (call) => call.query.set('showMissing', 'true')),
  },
  {
    name: 'records-hide-missing',
    breaks: ['3.missing'],
    how: requestOf(recordsV2, (call) => call.query.delete('showMissing')),
  },
  {
    name: 'type-mismatch-for-amounts',
    breaks: ['3.type-mismatch'],
    how: records([report], renamed('AMOUNT_MISMATCH', 'TYPE_MISMATCH')),
  },
  {
    name: 'amount-mismatch-for-types',
    breaks: ['3.amount-mismatch'],
    how: records([report], renamed('TYPE_MISMATCH', 'AMOUNT_MISMATCH')),
  },
  {
    name: 'report-words-in-records',
    breaks: ['3.unreconciled'],
    how: records([recordsV1, recordsV2], renamed('UNRECONCILED', 'AMOUNT_MISMATCH')),
  },
  {
    name: 'records-reconcile-mismatches',
    breaks: ['3.unreconciled'],
    how: records([recordsV2], renamed('UNRECONCILED', 'RECONCILED')),
  },
  { name: 'no-prime', breaks: ['4.prime', 'published.checkout.prime'], how: removed(primePath) },
  {
    name: 'prime-answers-text',
    breaks: ['4.prime', 'published.checkout.prime'],
    how: replaced(primePath, () => new Response('primed')),
  },
  { name: 'no-report', breaks: ['4.report', 'published.fundings.report'], how: removed(report) },
  {
    name: 'report-answers-a-page',
    breaks: ['4.report', 'published.fundings.report'],
    how: replaced(report, () => new Response('<!doctype html><title>Fundings</title>')),
  },
  {
    name: 'no-records-v1',
    breaks: ['4.records-v1', 'published.fundings.records-v1'],
    how: removed(recordsV1),
  },
  {
    name: 'no-records-v2',
    breaks: ['4.records-v2', 'published.fundings.records-v2'],
    how: removed(recordsV2),
  },
  {
    name: 'missing-by-default',
    breaks: ['4.1'],
    how: requestOf(report, (call) => {
      if (!call.query.has('showMissing')) call.query.set('showMissing', 'true');
    }),
  },
  {
    name: 'missing-when-false',
    breaks: ['4.1'],
    how: requestOf(report, (call) => {
      if (call.query.has('showMissing')) call.query.set('showMissing', 'true');
    }),
  },
  {
    name: 'missing-never',
    breaks: ['4.2'],
    how: requestOf(report, (call) => call.query.delete('showMissing')),
  },
  {
    name: 'missing-alone',
    breaks: ['4.2'],
    how: async (call) => {
      const response = await call.forward();
      if (call.path !== report || call.query.get('showMissing') !== 'true') return response;
      return rewriteRecords(response, (record) =>
        record.status === 'MISSING' ? record : undefined,
      );
    },
  },
  {
    name: 'report-says-unreconciled',
    breaks: ['4.3'],
    how: records([report], (record) =>
      ['TYPE_MISMATCH', 'AMOUNT_MISMATCH'].includes(String(record.status))
        ? { ...record, status: 'UNRECONCILED' }
        : record,
    ),
  },
  {
    name: 'report-reconciles-mismatches',
    breaks: ['4.3'],
    how: records([report], (record) =>
      ['TYPE_MISMATCH', 'AMOUNT_MISMATCH'].includes(String(record.status))
        ? { ...record, status: 'RECONCILED' }
        : record,
    ),
  },
  {
    name: 'report-has-other-amounts',
    breaks: ['9.unchanged'],
    how: records([report], (record) => ({ ...record, netAmount: Number(record.netAmount) + 0.01 })),
  },
  {
    name: 'report-lacks-records',
    breaks: ['9.unchanged'],
    how: records([report], (record) => (record.status === 'RECONCILED' ? undefined : record)),
  },
];

function parsed(body: string | undefined): object {
  return JSON.parse(body ?? '{}') as object;
}
