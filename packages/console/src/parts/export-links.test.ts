import { render } from 'lit';
import { describe, expect, it } from 'vitest';
import { setLanguage, setZone } from '../locale/locale.ts';
import { allFormats, exportLinks } from './export-links.ts';

it.each([
  ['en', 'point'],
  ['de', 'comma'],
])('requests CSV in %s with a decimal %s, in the time zone of the page', async (name, decimal) => {
  await setLanguage(name);
  setZone('Pacific/Apia');
  const page = document.createElement('div');
  render(exportLinks('cases', { state: 'open', code: undefined }, { formats: allFormats }), page);
  expect(Array.from(page.querySelectorAll('a'), (link) => link.getAttribute('href'))).toEqual([
    `/exports/cases?state=open&format=csv&bom=true&decimal=${decimal}&times=spreadsheet&zone=Pacific%2FApia`,
    '/exports/cases?state=open&format=xlsx&zone=Pacific%2FApia',
    '/exports/cases?state=open&format=ndjson&zone=Pacific%2FApia',
    '/exports/cases?state=open&format=parquet&zone=Pacific%2FApia',
  ]);
});

/** Number of tables without an export, by page, with the reason. */
const exempt: Readonly<Record<string, readonly string[]>> = {
  '../pages/imports/columns.ts': ['the first rows of the file that the person has'],
  '../pages/cases/sheet-tables.ts': [
    'differences of a file that the person has',
    'its refused rows',
  ],
  '../pages/imports/questions.ts': [
    'differences of that file from the ledger, before it is imported',
    'its look-alikes',
  ],
  '../pages/imports/report.ts': ['errors in that file', 'its sums'],
  '../pages/money/migration-view.ts': [
    'three counts of the comparison',
    'its first orders: the button above saves every line',
  ],
  '../pages/close/periods.ts': ['the calendar of the books, whose seals have files'],
  '../pages/close/review.ts': [
    'cases by exception, which the file of the cases lists',
    'balances by account, which are in the files of a journal',
  ],
  '../pages/journals/chart.ts': ['the file of the chart of accounts'],
  '../pages/journals/exports.ts': ['exports, each with its files'],
  '../pages/journals/lines.ts': [
    'balances, which are in the files of an export',
    'entries, which are the files of an export',
  ],
  '../pages/journals/trace.ts': ['postings, which an export by order has'],
  '../pages/order/charge-dialog.ts': ['the preview of a move'],
};

describe('each table of a page has a download', () => {
  const sources = import.meta.glob<string>(['../pages/**/*.ts', '!../pages/**/*.test.ts'], {
    eager: true,
    query: '?raw',
    import: 'default',
  });
  const counted = Object.entries(sources).map(([path, source]) => {
    const count = (pattern: RegExp) => source.match(pattern)?.length ?? 0;
    const links = count(/\bexportLinks\(/g);
    const tables = count(/<(?:console-)?table\b|\btableView\(\{|\blist\.view\(/g);
    const charts = count(/<console-chart\b/g);
    const files = links + count(/@click=\$\{save\}/g);
    return { path, links, tables, charts, files };
  });

  it('reads the pages', () => {
    expect(Object.keys(sources).length).toBeGreaterThan(30);
    expect(counted.filter(({ tables }) => tables > 0).length).toBeGreaterThan(10);
  });

  it.each(counted.filter(({ tables }) => tables > 0))('$path', ({ path, links, tables }) => {
    expect(Math.max(0, tables - links)).toBe(exempt[path]?.length ?? 0);
  });

  it.each(counted.filter(({ charts }) => charts > 0))('chart of $path', ({ charts, files }) => {
    expect(files).toBeGreaterThanOrEqual(charts);
  });

  it('exempts no page without tables', () => {
    const paths = counted.filter(({ tables }) => tables > 0).map(({ path }) => path);
    expect(Object.keys(exempt).filter((path) => !paths.includes(path))).toEqual([]);
  });
});
