import { describe, expect, test } from 'vitest';
import type { Scripted, UpstreamCall } from '../../../companion.fixture.ts';
import { setUp } from '../reconcile.fixture.ts';

describe('migrate-report', () => {
  const record = {
    ...{ status: 'RECONCILED', transactionType: 'Settle', lenderName: 'Meadow Credit' },
    ...{ transactionAmount: 100, discountAmount: 2.9, netAmount: 97.1 },
    ...{ fundedAt: '2026-11-11T00:00:00.000Z', updatedAt: '2026-11-11T00:00:00.000Z' },
    ...{ merchantOrderId: 'A-1', transactionId: 't-1' },
  };
  const days = ['migrate-report', '--from', '2026-11-11', '--to', '2026-11-12'];

  /** Commands on a service whose report has these records, and whose records operations have one. */
  async function migrating(...report: object[]) {
    const { companion, run } = await setUp({ clean: true });
    const answering =
      (records: object[]) =>
      ({ query }: UpstreamCall): Scripted => ({
        status: 200,
        body: { records: query.get('offset') === '0' ? records : [] },
      });
    companion.service
      .on('GET /v2/post-sale/fundings/report', answering(report))
      .on('GET /v1/post-sale/fundings/records', answering([record]))
      .on('GET /v2/post-sale/fundings/records', answering([record]));
    return run;
  }

  test('shows what becomes of a status, and each order only when asked to', async () => {
    const run = await migrating({ ...record, status: 'AMOUNT_MISMATCH' });
    const { code, out } = await run(...days, '--orders');
    expect(code).toBe(0);
    expect(out).toMatch(/A-1 +Settle +100\.00 USD +RECONCILED +RECONCILED +AMOUNT_MISMATCH/);
    expect(out).toMatch(/v2 RECONCILED +AMOUNT_MISMATCH +1 +100\.00 USD/);
    const brief = await run(...days);
    expect(brief.out).not.toContain('A-1');
    expect(brief.out).toContain('AMOUNT_MISMATCH');
  });

  test('names the other fields that differ, of each order and counted', async () => {
    const run = await migrating({ ...record, lenderName: 'Meadow' });
    const { out } = await run(...days, '--orders');
    expect(out).toMatch(/^A-1 .* RECONCILED +lenderName$/m);
    expect(out).toContain('1 funding in the report, 1 in records v1');
    expect(out).toContain('Beside the status: lenderName once.');
  });

  test('ends with 3 where a record could not be read, and lists it when asked to', async () => {
    const run = await migrating({ ...record, netAmount: 97.105 });
    const { code, out, err } = await run(...days, '--orders');
    expect(code).toBe(3);
    expect(out).toContain('2026-11-11, report: a record of A-1 cannot be read: netAmount cannot');
    expect(err).toContain('1 of the report, 0 of records v1, 0 of records v2');
    expect(out + err).not.toContain('97.105');
    const brief = await run(...days);
    expect([brief.code, brief.err]).toEqual([3, err]);
    expect(brief.out).not.toContain('cannot be read');
  });

  test('control characters of an order’s name do nothing to the terminal', async () => {
    const named = { ...record, merchantOrderId: 'A\u001b[2J-1' };
    for (const report of [named, { ...named, netAmount: 97.105 }]) {
      const run = await migrating(report);
      const { out } = await run(...days, '--orders');
      expect(out).toContain('A\uFFFD[2J-1');
      expect(out).not.toContain('\u001b');
    }
  });
});

test.each(['{"kind":"of tomorrow"}', '{"kind":', 'A-1 of Ada'])(
  'a line of a comparison that is none is said, and never told: %s',
  async (text) => {
    const { run, shell } = await setUp({ clean: true });
    const headers = { 'content-type': 'application/x-ndjson' };
    shell.fetch = () => Promise.resolve(new Response(`${text}\n`, { headers }));
    const { code, err } = await run('migrate-report', '--from', '2026-11-11', '--to', '2026-11-12');
    expect([code, err]).toEqual([1, expect.stringContaining('What answers is not a companion')]);
    expect(err).not.toMatch(/Ada|tomorrow/);
  },
);
