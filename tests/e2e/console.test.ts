/* The console in Chromium, on a stack of its own: the month end, a workbook, a partial shipment, a lost server. */
import { writeXlsx } from 'hucre/xlsx';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../../scripts/history/ask.ts';
import { booksOf, readAs } from '../../scripts/history/books.ts';
import { buy } from '../../scripts/history/purchases.ts';
import { readMonth } from '../../scripts/history/sandbox.ts';
import type { Stack } from '../../scripts/stack.ts';
import { Console } from './console.ts';

let tested: Console;
let stack: Stack;
let page: Page;

beforeAll(async () => {
  tested = await Console.start();
  stack = tested.stack;
  await ask(`${stack.control}/clock`, { body: { now: new Date().toISOString(), frozen: false } });
});
afterAll(() => tested.stop());

const go = (name: string) =>
  page
    .getByRole('navigation', { name: 'Main navigation' })
    .getByRole('link', { name, exact: true })
    .click();

test('a session is a cookie that no script can read', async () => {
  page = await tested.enter(stack.secrets.annaToken);
  const cookies = await page.context().cookies();
  expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict', path: '/' }]);
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
  expect(stored).not.toContain(stack.secrets.annaToken);
});

test('a month end: import by preset, sync, exceptions, the walk, an export', async () => {
  const month = readMonth(stack.dataDir);
  if (month === undefined) throw new Error('The stack has no seeded month.');
  const books = booksOf(month);

  await go('Imports');
  await page.locator('input[type=file]').setInputFiles({
    name: 'orders.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(books.shopify),
  });
  await page.getByText('Recognized as').waitFor();
  const both = page.getByLabel(/A row with both amounts is a settle and a refund/);
  await both.focus();
  await page.keyboard.press('Space');
  expect(await both.isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('button', { name: /^Import \d+ lines$/ }).click();
  await page.getByText(/lines are in the ledger, and their orders are judged/).waitFor();
  // Sends the other file like a program; the page reports both.
  await ask(`${stack.reconciliation}/ledger?${readAs.accounting}`, {
    token: stack.secrets.annaToken,
    body: books.accounting,
    headers: { 'content-type': 'text/csv' },
  });

  await go('Sync');
  await page.getByText('Read a period again').click();
  const period = page.locator('form', { has: page.locator('input[name=from]') });
  await period.locator('input[name=from]').fill(month.from);
  await period.locator('input[name=to]').fill(new Date().toISOString().slice(0, 10));
  await period.locator('wa-button').click();
  const syncs = () => tested.ask<{ syncs: object[] }>('/syncs');
  await expect.poll(syncs).toMatchObject({ syncs: [{ state: 'complete' }] });

  await go('Cases');
  await page.locator('console-table a').first().click();
  await page.locator('.case-work textarea').fill('<img src=x onerror="document.title=1">');
  await page.getByRole('button', { name: 'Add note' }).click();
  await page.getByText('<img src=x onerror="document.title=1">').waitFor();
  await page.locator('.case-work textarea').fill('Agreed with the lender');
  await page.getByRole('button', { name: 'Resolve' }).click();
  const resolved = () => tested.ask<{ cases: object[] }>('/cases?state=resolved');
  await expect.poll(resolved).toMatchObject({ cases: [{ reason: 'Agreed with the lender' }] });

  await go('Money');
  await page
    .getByText(/^Cash walk in/)
    .first()
    .waitFor();
  await page.getByText('Every cent is explained').first().waitFor();
  await go('Orders');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'CSV', exact: true }).click();
  expect((await download).suggestedFilename()).toMatch(/\.csv$/);
});

/** Returns a workbook with a title, a subtotal and a total, as accounting saves it. */
async function workbook(amounts: Readonly<Record<string, number>>): Promise<Buffer> {
  const lines = Object.entries(amounts).map(([order, amount], at) => [
    ...[order, new Date(Date.UTC(2026, 2, at + 1)), amount, 'USD'],
  ]);
  const sum = Object.values(amounts).reduce((all, amount) => all + amount, 0);
  const [first = [], ...rest] = lines;
  const rows = [
    ...[['Receipts of March 2026'], [], ['Order No', 'Booked on', 'Gross', 'Currency'], first],
    ...[['Subtotal', null, first[2] ?? null], ...rest, ['Total', null, sum]],
  ];
  const summary = {
    name: 'Summary',
    rows: [
      ['Month', 'Gross'],
      ['March', sum],
    ],
  };
  return Buffer.from(await writeXlsx({ sheets: [summary, { name: 'Receipts', rows }] }));
}

/** Chooses a workbook, its sheet and columns, and leaves out its totals. */
async function checkWorkbook(buffer: Buffer): Promise<void> {
  const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  const dropped = await page.evaluateHandle(
    ([content, type]) => {
      const bytes = Uint8Array.from(atob(content), (byte) => byte.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], 'receipts 2026-03.xlsx', { type }));
      return transfer;
    },
    [buffer.toString('base64'), mimeType] as const,
  );
  await page.locator('.drop').dispatchEvent('drop', { dataTransfer: dropped });
  await page.getByLabel('Sheet', { exact: true }).selectOption('Receipts');
  const columns = { Order: 'Order No', Amount: 'Gross', Date: 'Booked on', Currency: 'Currency' };
  for (const [field, column] of Object.entries(columns)) {
    await page.getByLabel(`Column for ${field}`, { exact: true }).selectOption(column);
  }
  await page.getByLabel('Lines without a type are').selectOption('settle');
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByText('lines 5, ').waitFor();
  await page.getByLabel('Leave them out').check();
}

/** Returns words that a narrow cell breaks, and tables of the import that are cut off. */
const cutOff = () =>
  page.locator('console-imports > section').evaluateAll((cards) =>
    cards.flatMap((card) => {
      const tables = Array.from(card.querySelectorAll('.scroll, .scroll-x'));
      const words = Array.from(card.querySelectorAll('td:not(:has(.id)), th')).filter(
        (cell) => /^\p{L}+$/u.test(cell.textContent.trim()) && isBroken(cell),
      );
      return [...tables.filter((table) => table.scrollWidth > table.clientWidth), ...words].map(
        ({ textContent }) => textContent.trim(),
      );
      function isBroken(cell: Element): boolean {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return new Set(Array.from(range.getClientRects(), ({ top }) => top)).size > 1;
      }
    }),
  );

test('a workbook: its sheet, its totals, and the corrected workbook that replaces it', async () => {
  await page.goto(`${stack.reconciliation}/console/imports`);
  await checkWorkbook(await workbook({ '000731': 890.5, '000732': 12.3, '000733': 99.95 }));
  await page.getByRole('button', { name: 'Import 3 lines' }).click();
  await page.getByText('3 lines are in the ledger').waitFor();
  await page.getByRole('button', { name: 'Import another file' }).click();

  await checkWorkbook(await workbook({ '000731': 980.5, '000732': 12.3 }));
  const differences = page.getByRole('region', { name: '2 lines differ from an earlier import' });
  await expect
    .poll(() => differences.locator('tbody tr').allInnerTexts())
    .toEqual([
      expect.stringMatching(/^Changed\s+000731\s+\$890\.50\s+\$980\.50$/),
      expect.stringMatching(/^Removed\s+000733\s+\$99\.95\s*$/),
    ]);
  await page.setViewportSize({ width: 390, height: 900 });
  // Tables follow a new width in a later frame.
  await expect.poll(cutOff).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByLabel(/Replace: the file corrects/).check();
  await page.getByRole('button', { name: /^Import \d+ lines?$/ }).click();
  await page.getByText('1 line is in the ledger').waitFor();
  await page.goto(`${stack.reconciliation}/console/orders/order:000731`);
  const expected = page.locator('.comparison tbody tr').first().locator('td').first();
  expect(await expected.textContent()).toBe('$980.50');
  expect(await tested.ask('/orders/order:000733')).toMatchObject({ currencies: [] });
});

test('a session that ends in another window asks for the token over the page', async () => {
  const person = await tested.enter(stack.secrets.annaToken);
  const other = await person.context().newPage();
  await other.goto(`${stack.reconciliation}/console/cases`);
  await other.locator('console-table a').first().click();
  const comment = other.locator('.case-work textarea');
  await comment.fill('Half a thought');
  await person.getByRole('button', { name: 'Sign out' }).click();
  await person.getByRole('heading', { name: 'Sign in to reconciliation' }).waitFor();
  const refused = other.waitForResponse('**/note?*');
  // Without the mouse, because the dialog covers the button if another request finds out first.
  await other.getByRole('button', { name: 'Add note' }).dispatchEvent('click');
  await refused;
  const dialog = other.getByRole('dialog');
  await dialog.getByText('Your session has ended').waitFor();
  // The browser itself lets a second Escape close a dialog.
  await other.keyboard.press('Escape');
  await other.keyboard.press('Escape');
  await dialog.getByText('Your session has ended').waitFor();
  expect(await comment.inputValue()).toBe('Half a thought');
  await other.getByLabel('Access token').fill(stack.secrets.annaToken);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await dialog.waitFor({ state: 'detached' });
  await other.getByRole('button', { name: 'Add note' }).click();
  await other.locator('.trail').getByText('Half a thought').waitFor();
  await person.context().close();
});

test('a partial shipment: settle by item once by a double click, then refund a part', async () => {
  await buy(stack, { slugs: ['wren-chair', 'tarn-table'], offer: 'QUI-999-12' });
  const { entries } = await ask<{ entries: { type: string; merchantOrderId: string }[] }>(
    `${stack.backOffice}/ledger?limit=1000`,
    { token: stack.secrets.backOfficeToken },
  );
  const order = entries.findLast(({ type }) => type === 'Authorize')?.merchantOrderId ?? '';
  const charge = async () => {
    const { charges } = await ask<{
      charges: { operations: { kind: string }[]; settled: object; refunded: object }[];
    }>(`${stack.backOffice}/charges?merchantOrderId=${order}`, {
      token: stack.secrets.backOfficeToken,
    });
    return charges[0];
  };
  await page.goto(`${stack.reconciliation}/console/orders/order:${order}`);
  await page.getByRole('button', { name: /^Settle/ }).click();
  await page.getByText('By item').click();
  await page
    .getByLabel(/^Quantity of/)
    .first()
    .fill('1');
  await page.getByRole('button', { name: /^Settle \$/ }).dblclick();
  await page.getByText(/\$[\d.,]+ settled\./).waitFor();
  await page.reload();
  await page.getByRole('button', { name: /^Refund/ }).click();
  await page.getByText('A part', { exact: true }).click();
  await page.getByLabel('Amount in USD').fill('1.50');
  await page.getByRole('button', { name: 'Refund $1.50' }).click();
  await page.getByText('$1.50 refunded.').waitFor();
  const moved = await charge();
  expect(moved?.operations.map(({ kind }) => kind)).toEqual(['settle', 'refund']);
  expect(moved?.refunded).toEqual({ value: 150, currency: 'USD' });

  await go('Trail');
  await page.getByText('anna').first().waitFor();
  const looking = await tested.enter(stack.secrets.benToken);
  await looking.goto(`${stack.reconciliation}/console/orders/order:${order}`);
  await looking.getByText('your token needs the right “money”').waitFor();
  expect(await looking.getByRole('button', { name: /^(Settle|Refund|Void)/ }).count()).toBe(0);
  await looking.context().close();
});

test('no typed text is lost when a server goes down and recovers', async () => {
  await page.goto(`${stack.reconciliation}/console/cases`);
  await page.locator('console-table a').first().click();
  await page.locator('.case-work textarea').fill('Half a sentence');
  await stack.programs.reconciliation.stop();
  await page.getByRole('button', { name: 'Add note' }).click();
  await page.getByText('The server cannot be reached').first().waitFor();
  await stack.restart('reconciliation');
  expect(await page.locator('.case-work textarea').inputValue()).toBe('Half a sentence');
  await expect
    .poll(async () => (await tested.ask<{ role: string }>('/status')).role)
    .toBe('leader');
  await page.getByRole('button', { name: 'Add note' }).click();
  await page.getByText('Half a sentence').first().waitFor();
  const text = page.locator('.case-work textarea');
  await expect.poll(() => text.inputValue()).toBe('');
});

test('no page sends a request to another origin, violates its policy or runs what a person has typed', () => {
  expect(tested.foreign).toEqual([]);
  expect(tested.complaints).toEqual([]);
});
