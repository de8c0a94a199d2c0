/*
 * Calendar days are computed in the business time zone, never in UTC or in the zone of a machine or
 * a reader.
 */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './tree.ts';

/** Ways to derive a date from a timestamp without a calendar. */
const cuts = [
  /toISOString\(\)\s*\.slice\(0, ?(?:7|10)\)/,
  /isoTime\([^\n]*\)\.slice\(0, ?10\)/,
  /\b(?:at|since|asOf|\w+(?:At|From))\??\.slice\(0, ?1[06]\)/,
  /\/\/ ?\$?\{?\(?(?:DAY\w*|86_?400_?000)/,
  /Math\.floor\([^\n]*\/ ?(?:DAY\w*|86_400_000)\) ?\*/,
  /\.(?:get|set)(?:UTC)?(?:Date|Day|Month|FullYear|Hours)\(/,
  /timeZone: 'UTC'/,
  /\(UTC\)/,
];

/** Files that may do so, with the reason; all others use a calendar. */
const exempt: Readonly<Record<string, string>> = {
  'packages/contract/src/money/days.ts': 'counts days that were cut before',
  'packages/console/src/locale/locale.ts': 'writes a day that was cut before',
  'packages/console/src/pages/money/calendar.ts': 'writes days that were cut before',
  'packages/console/src/pages/money/period.ts': 'counts in months of days that were cut before',
  'packages/console/src/pages/money/months.ts': 'counts in months of days that were cut before',
  'packages/console/src/pages/money/timing.ts': 'writes days that were cut before',
  'packages/console/src/pages/sync/calendar.ts': 'writes days that were cut before',
  'packages/console/src/pages/sync/months.ts': 'counts in months of days that were cut before',
  'packages/reconciliation/src/imports/compare/correction.ts':
    'compares times that differ by up to a day',
  'packages/reconciliation/src/imports/read/dates.ts': 'reads the date of a spreadsheet',
  'packages/reconciliation/src/imports/read/read-line.ts': 'compares with a last day, of any zone',
  'packages/reconciliation/src/queries/exports/export-records.ts': 'counts the age of a case',
  'packages/reconciliation/src/queries/exports/export-tables.ts': 'counts the age of a case',
  'packages/reconciliation/src/queries/today/holds.ts': 'widens a range of times to whole days',
  'packages/reconciliation-rules/src/policy/due-day.ts': 'asks for the weekday of a named day',
};

/** Sources of reconciliation and of its console. */
const folders = ['contract', 'console', 'reconciliation', 'reconciliation-rules'];

async function cuttingFiles(): Promise<string[]> {
  const found: string[] = [];
  for await (const path of glob(`packages/{${folders.join(',')}}/src/**/*.ts`, { cwd: root })) {
    if (/\.(?:test|fixture)\.ts$/.test(path)) continue;
    const text = readFileSync(join(root, path), 'utf8');
    if (cuts.some((cut) => cut.test(text))) found.push(path);
  }
  return found.sort();
}

describe('days', () => {
  it('are computed by a calendar, except in the listed files', async () => {
    expect(await cuttingFiles()).toEqual(Object.keys(exempt).sort());
  });

  it.each([
    'const day = new Date(time).toISOString().slice(0, 10);',
    'const day = isoTime(clock.now()).slice(0, 10);',
    'const since = line.agreedFrom?.slice(0, 10);',
    "cell: ({ at }) => at.slice(0, 16).replace('T', ' ')",
    'select l.occurred_at // ${DAY_MS} as day',
    'const today = Math.floor(clock.now() / DAY_MS) * DAY_MS;',
    'dayOf(now.getFullYear(), now.getMonth(), 1)',
    "{ head: 'SINCE (UTC)' }",
  ])('are detected where they are computed without one: %s', (source) => {
    expect(cuts.some((cut) => cut.test(source))).toBe(true);
  });
});
