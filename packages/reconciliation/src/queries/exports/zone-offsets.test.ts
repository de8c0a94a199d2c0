import { type DuckDBConnection, DuckDBInstance } from '../../platform/duckdb.ts';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { ZonedTime } from '@financing-checkout/reconciliation-rules/calendar';
import { zonedSql } from './zone-offsets.ts';

let connection: DuckDBConnection;

beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
});

/** Returns each timestamp as ISO 8601, in the format for spreadsheets, and as an offset. */
async function written(zone: string, moments: readonly number[]): Promise<string[][]> {
  const { time, offset } = zonedSql(zone, Math.min(...moments), Math.max(...moments));
  const found = await connection.runAndReadAll(
    `select ${time('moment', 'iso', 'comma')}, ${time('moment', 'spreadsheet', 'comma')}, ${offset('moment')}
     from (select unnest([${moments.join(', ')}]::bigint[]) as moment)`,
  );
  return found.getRows().map((row) => row.map(String));
}

test.each([
  ['UTC', '2026-11-01T07:59:37.999Z', '2026-11-01T07:59:37.999+00:00'],
  // The night of the clock change repeats a time of day, distinguished by the offset.
  ['America/New_York', '2026-11-01T05:30:00.000Z', '2026-11-01T01:30:00-04:00'],
  ['America/New_York', '2026-11-01T06:30:00.000Z', '2026-11-01T01:30:00-05:00'],
  ['America/Los_Angeles', '2026-11-01T06:59:37.000Z', '2026-10-31T23:59:37-07:00'],
  ['Asia/Kathmandu', '2026-11-01T00:00:00.000Z', '2026-11-01T05:45:00+05:45'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00.000Z', '2026-04-05T01:30:00+10:30'],
])('%s: %s is written %s', async (zone, moment, iso) => {
  const others = [Date.UTC(2025, 0), Date.UTC(2027, 0)];
  const [row] = await written(zone, [Date.parse(moment), ...others]);
  const local = iso.slice(0, -6).replace('T', ' ').replace('.', ',');
  expect(row).toEqual([iso, local, `UTC${iso.slice(-6)}`]);
});

test('property: each format states the same point in time', async () => {
  const zone = fc.constantFrom('Europe/Berlin', 'America/St_Johns', 'Asia/Tokyo', 'Pacific/Apia');
  const time = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2100, 0) });
  const utc = new ZonedTime('UTC');
  await fc.assert(
    fc.asyncProperty(zone, fc.array(time, { minLength: 1 }), async (name, moments) => {
      const rows = await written(name, moments);
      const read = rows.map(([iso = '', local = '', offset = '']) => [
        utc.read(iso),
        utc.read(`${local}${offset.slice(3)}`),
      ]);
      expect(read).toEqual(moments.map((moment) => [moment, moment]));
    }),
    { numRuns: 50 },
  );
});
