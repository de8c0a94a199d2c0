import type { ScriptedService } from '../scripted-service.fixture.ts';

export const RECORDS_V1 = 'GET /v1/post-sale/fundings/records';
export const RECORDS_V2 = 'GET /v2/post-sale/fundings/records';
const REPORT = 'GET /v2/post-sale/fundings/report';
const MAX_PAGE = 500;

/** A record in the service's format. */
export type WireRecord = ReturnType<typeof wireRecord>;

/** Returns record number `index`, funded at the timestamp `moment`. */
export function wireRecord(index: number, fundedAt: string, change: Record<string, unknown> = {}) {
  const amount = 10_000 + index;
  return {
    status: 'RECONCILED',
    fundedAt,
    updatedAt: fundedAt,
    lenderName: 'Northway Credit',
    transactionType: 'Settle',
    transactionAmount: amount / 100,
    discountAmount: 1.5,
    netAmount: (amount - 150) / 100,
    transactionId: `txn-${index}`,
    merchantOrderId: `A-${index}`,
    firstName: 'Ada',
    lastName: 'Quill',
    email: 'ada.quill@example.com',
    ...change,
  };
}

/**
 * Responds to the three fundings operations from a list of records: those within a period, both
 * bounds inclusive, at most 500 per page.
 */
export function fundingService(service: ScriptedService, records: readonly WireRecord[]): void {
  for (const route of [REPORT, RECORDS_V1, RECORDS_V2]) {
    service.on(route, ({ query }) => {
      const from = Date.parse(query.get('fromDate') ?? '1970-01-01');
      const to = Date.parse(query.get('toDate') ?? '9999-01-01');
      const offset = Number(query.get('offset'));
      const limit = Math.min(Number(query.get('limit')), MAX_PAGE);
      const found = records.filter(({ fundedAt }) => {
        const at = Date.parse(fundedAt);
        return at >= from && at <= to;
      });
      return { status: 200, body: { records: found.slice(offset, offset + limit) } };
    });
  }
}
