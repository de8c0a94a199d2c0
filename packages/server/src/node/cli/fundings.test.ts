import { expect, test } from 'vitest';
import { createCompanion } from '../../companion.fixture.ts';
import {
  fundingService,
  RECORDS_V1,
  RECORDS_V2,
  type WireRecord,
  wireRecord,
} from '../../fundings/funding-service.fixture.ts';
import { commandsTo } from '../command.fixture.ts';

async function setUp(records: WireRecord[]) {
  const { backOffice, service } = await createCompanion();
  fundingService(service, records);
  const { run, ...commands } = commandsTo(backOffice);
  return { ...commands, service, run: async (...words: string[]) => (await run(...words)).code };
}

const at = '2026-03-02T00:00:00.000Z';

test('fundings report prints a table or JSON lines, without the names of people', async () => {
  const { run, out, err } = await setUp([
    wireRecord(1, at),
    wireRecord(2, at, { status: 'MISSING', merchantOrderId: undefined, lenderName: 'B\u001b[31m' }),
  ]);
  expect(await run('fundings', 'report', '--show-missing')).toBe(0);
  expect(out[0]).toMatch(/^funded\s+status\s+type\s+amount\s+discount\s+net/);
  expect(out).toHaveLength(3);
  expect(out.join('\n')).toContain('MISSING');
  // The companion knows neither of the orders.
  expect(out[1]).toContain('USD?');
  expect(err).toEqual([expect.stringMatching(/^\? +The currency is assumed /)]);
  expect(out.join('')).not.toMatch(/Ada|Quill|@|\p{Cc}/u);
  expect(await run('fundings', 'report', '--json')).toBe(0);
  expect(out.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { merchantOrderId: 'A-1', transactionAmount: { value: 10_001, currency: 'USD' } },
  ]);
  expect(await run('fundings', 'report', '--from', '2030-01-01')).toBe(0);
  expect([out, err]).toEqual([[], ['The service reports no funding for this time.']]);
});

test('fundings records reads both versions and any page size', async () => {
  const records = Array.from({ length: 1_500 }, (_, index) => wireRecord(index, at));
  const { run, out, service } = await setUp(records);
  expect(await run('fundings', 'records', '--version', '1', '--json')).toBe(0);
  expect(out).toHaveLength(1_500);
  expect(service.callsTo(RECORDS_V1).length).toBeGreaterThan(1);
  expect(await run('fundings', 'records')).toBe(0);
  // One header for all records.
  expect(out.filter((line) => line.startsWith('funded'))).toHaveLength(1);
  expect(out).toHaveLength(1_501);
  expect(service.callsTo(RECORDS_V2).length).toBeGreaterThan(1);
});

test.each(['report', 'records'])(
  'fundings %s reports an unreadable record, prints the others and exits with 1',
  async (operation) => {
    const { run, out, err } = await setUp([
      wireRecord(2, at),
      wireRecord(1, at, { transactionAmount: 1.001 }),
    ]);
    expect(await run('fundings', operation)).toBe(1);
    expect(out).toHaveLength(2);
    expect(out[1]).toContain('A-2');
    expect(err).toEqual([
      expect.stringMatching(/^\? /),
      'One record of the service cannot be read and was left out:\n' +
        '  record 1, A-1: transactionAmount cannot be represented in USD (amount-too-precise)',
    ]);
    expect(await run('fundings', operation, '--json')).toBe(1);
    expect(out).toHaveLength(1);
  },
);

const broken = [
  '{"kind":"of tomorrow"}',
  '{"records":[{"id":',
  '{"rec',
  'A-1 of Ada',
  '{',
  '[',
  '',
];

test.each(broken)('reports truncated or invalid output without repeating it: %s', async (text) => {
  const { run, out, err, shell } = await setUp([]);
  const headers = { 'content-type': 'application/json' };
  shell.fetch = () => Promise.resolve(new Response(text, { headers }));
  expect(await run('fundings', 'report')).toBe(1);
  expect([out, err]).toEqual([
    [],
    [expect.stringMatching(/^The answer is not from a companion|^The answer/)],
  ]);
  expect(err.join('')).not.toMatch(/Ada|tomorrow/);
});
