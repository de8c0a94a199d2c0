import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { temporaryFolder } from '../facts/facts.fixture.ts';
import { commandLine } from './cli.fixture.ts';

/** Runs an import of a file, and returns the options that it sends, or the error of the command. */
async function sent(...options: string[]): Promise<unknown> {
  const file = join(temporaryFolder(), 'march.csv');
  writeFileSync(file, 'order\n');
  const stated: unknown[] = [];
  const fetch = (input: Request | URL | string) => {
    const { searchParams } = new URL(input instanceof Request ? input.url : input);
    stated.push(JSON.parse(searchParams.get('options') ?? ''));
    return Promise.resolve(Response.json({}, { status: 503 }));
  };
  const env = { RECONCILIATION_URL: 'http://127.0.0.1:4002' };
  const { code, err } = await commandLine(env, fetch).run('import', file, ...options);
  return stated[0] ?? { code, err };
}

test.each<[string, string, string, unknown]>([
  ['--map', 'order=Order No, amount=Total', 'map', { order: 'Order No', amount: 'Total' }],
  [
    '--map',
    'amount="Total, ""gross""",date=When',
    'map',
    { amount: 'Total, "gross"', date: 'When' },
  ],
  [
    '--types',
    'settle=Invoice,settle=Sale, refund="Credit, note",skip=Fee',
    'types',
    { settle: ['Invoice', 'Sale'], refund: ['Credit, note'], skip: ['Fee'] },
  ],
  ['--only', 'CH=SB,"State, old"=Paid,CH=MB', 'only', { CH: ['SB', 'MB'], 'State, old': ['Paid'] }],
  ['--skip-rows-without', 'amount,"Payout, id"', 'skipRowsWithout', ['amount', 'Payout, id']],
  ['--year', '2026', 'year', 2026],
])('%s %s is sent with its type', async (option, typed, name, value) => {
  expect(await sent(option, typed)).toEqual({ file: 'march.csv', source: 'import', [name]: value });
});

test.each([
  ['--map', 'total=Total', /must name columns by field: order, type/],
  ['--map', 'order', /must name columns by field/],
  ['--map', 'order=', /must not be empty/],
  ['--map', 'order=A,order=B', /names order twice/],
  ['--map', '=A', /must name columns by field/],
  ['--types', 'void=Storno', /must list words .*settle, refund, sign, skip/],
  ['--types', 'settle', /must list words|not be empty/],
  ['--only', 'Status', /must list the values of rows by their column/],
  ['--skip-rows-without', 'amount,""', /not be empty/],
  ['--year', '26', /must be 2000 to 2100/],
  ['--currency', 'eur', /must be an ISO 4217 code/],
])('%s %s is refused before the file is sent', async (option, typed, message) => {
  expect(await sent(option, typed)).toEqual({
    code: 1,
    err: expect.stringMatching(message) as string,
  });
});

it('reads a preset that looks like a path from its file', async () => {
  const preset = join(temporaryFolder(), 'mine.json');
  writeFileSync(preset, '{"units": "major"}');
  expect(await sent('--preset', preset)).toMatchObject({ preset: '{"units": "major"}' });
  expect(await sent('--preset', 'shopify')).toMatchObject({ preset: 'shopify' });
});
