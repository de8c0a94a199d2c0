import { render } from 'lit';
import { expect, it, vi } from 'vitest';
import base from '../styles/base.css?inline';
import parts from '../styles/parts.css?inline';
import { useStyles } from '../styles.fixture.ts';
import { type ConsoleTable, tableView } from './table.ts';

useStyles(base, parts);

interface Row {
  number: number;
}

const rowsUpTo = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ number: index + 1 }));

function mounted(rows: readonly Row[], hasMore: boolean) {
  const table = document.createElement('console-table') as ConsoleTable<Row>;
  Object.assign(table, {
    rows,
    hasMore,
    label: 'Numbers',
    columns: [{ head: 'Number', cell: ({ number }: Row) => `row ${number}` }],
  });
  const wanted = vi.fn();
  table.addEventListener('wanted', wanted);
  document.body.append(table);
  const shown = () =>
    [...table.querySelectorAll('tbody tr:not(.gap) td')].map(({ textContent }) =>
      textContent.trim(),
    );
  return { table, wanted, shown };
}

it('keeps few of 100,000 rows in the DOM at every scroll position', async () => {
  const { table, shown } = mounted(rowsUpTo(100_000), false);
  await expect.poll(shown).toContain('row 1');
  expect(shown().length).toBeLessThan(100);
  const scroll = table.querySelector('.scroll');
  expect(scroll?.scrollHeight).toBeGreaterThan(100_000 * 20);
  scroll?.scrollTo(0, scroll.scrollHeight / 2);
  await expect.poll(() => shown().some((text) => /^row 5\d{4}$/.test(text))).toBe(true);
  expect(shown().length).toBeLessThan(100);
  expect(shown()).not.toContain('row 1');
  scroll?.scrollTo(0, scroll.scrollHeight);
  await expect.poll(shown).toContain('row 100000');
  expect(shown().length).toBeLessThan(100);
});

it('exposes the total row count and each row’s index to screen readers', async () => {
  const { table, shown } = mounted(rowsUpTo(1_000), false);
  await expect.poll(shown).toContain('row 1');
  expect(table.querySelector('table')?.getAttribute('aria-rowcount')).toBe('1001');
  const third = [...table.querySelectorAll('tbody tr')].find((row) =>
    row.textContent.includes('row 3'),
  );
  expect(third?.getAttribute('aria-rowindex')).toBe('4');
});

it('requests the next page when its end is reached, and not before', async () => {
  const { table, wanted, shown } = mounted(rowsUpTo(500), true);
  await expect.poll(shown).toContain('row 1');
  expect(wanted).not.toHaveBeenCalled();
  const scroll = table.querySelector('.scroll');
  scroll?.scrollTo(0, scroll.scrollHeight);
  await expect.poll(() => wanted.mock.calls.length).toBeGreaterThan(0);
});

it('requests no page if there are no more', async () => {
  const { table, wanted, shown } = mounted(rowsUpTo(500), false);
  await expect.poll(shown).toContain('row 1');
  const scroll = table.querySelector('.scroll');
  scroll?.scrollTo(0, scroll.scrollHeight);
  await expect.poll(shown).toContain('row 500');
  expect(wanted).not.toHaveBeenCalled();
});

it('escapes HTML in text', async () => {
  const { table, shown } = mounted([], false);
  table.columns = [{ head: 'Text', cell: () => '<img src=x onerror=alert(1)>' }];
  table.rows = rowsUpTo(1);
  await expect.poll(shown).toEqual(['<img src=x onerror=alert(1)>']);
  expect(table.querySelector('img')).toBeNull();
});

it('has all loaded rows in the DOM while it is printed, and says how many are missing', async () => {
  const { table, shown } = mounted(rowsUpTo(500), true);
  table.total = 1_234;
  await expect.poll(shown).toContain('row 1');
  dispatchEvent(new Event('beforeprint'));
  expect(shown()).toHaveLength(500);
  expect(table.querySelector('.paper-only')?.textContent).toBe(
    'These are the first 500 rows. 734 rows more match: export the list as CSV or Excel for all of them.',
  );
  dispatchEvent(new Event('afterprint'));
  expect(shown().length).toBeLessThan(100);
  expect(table.querySelector('.count')?.textContent).toBe('500 of 1,234 rows');
});

it('says nothing is missing on paper when all rows are loaded', async () => {
  const { table, shown } = mounted(rowsUpTo(5), false);
  await expect.poll(shown).toContain('row 1');
  expect(table.querySelector('.paper-only')).toBeNull();
});

it('shows rows as blocks while their columns do not fit', async () => {
  const columns = ['Expected', 'Funded', 'Difference'].map((head) => ({
    head,
    cell: () => '$1,234,567.89',
  }));
  const area = document.createElement('div');
  area.style.width = '250px';
  document.body.append(area);
  const show = () => render(tableView({ label: 'Amounts', columns, rows: [1, 2] }), area);
  const shown = () => area.querySelector('.scroll-x');
  show();
  await expect.poll(() => shown()?.matches('.stacked')).toBe(true);
  expect(shown()?.scrollWidth).toBe(shown()?.clientWidth);
  const labels = [...area.querySelectorAll('tbody tr:first-child td')].map(
    (cell) => getComputedStyle(cell, '::before').content,
  );
  expect(labels).toEqual(['"Expected" / ""', '"Funded" / ""', '"Difference" / ""']);
  area.style.width = '600px';
  await expect.poll(() => shown()?.matches('.stacked')).toBe(false);
  const table = area.querySelector('table');
  if (table) table.style.fontSize = '5rem';
  await expect.poll(() => shown()?.matches('.stacked')).toBe(true);
});
