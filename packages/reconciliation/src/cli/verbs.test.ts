import { columnsOf, flatRows } from '@financing-checkout/kit';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { DeclaredRoute } from '../http/operation.ts';
import { operations } from '../http/operations.ts';
import { shareProgram, shopDays, startShop } from '../program.fixture.ts';
import { commandLine, commandsOf } from './cli.fixture.ts';

/* Each command of a declared operation: its arguments are the request, and the answer its text. */

type Fields = Readonly<Record<string, z.ZodType>>;
type Verbal = DeclaredRoute & { verb: NonNullable<DeclaredRoute['verb']> };

const isVerbal = (one: object): one is Verbal => 'verb' in one && one.verb !== undefined;
const verbal = operations.filter(isVerbal);
const named = verbal.map((one) => [one.verb.name, one] as const);

const shapeOf = (schema: unknown): Fields => (schema instanceof z.ZodObject ? schema.shape : {});
const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const isSwitch = (schema: z.ZodType) =>
  schema.safeParse('true').data === true || schema.safeParse(true).data === true;

/** Returns a value that a field accepts. */
function valueOf(schema: z.ZodType): string | number {
  const { enum: choices = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const texts = [
    ...choices.map(String),
    'Ines',
    'USD',
    '2026-01-31',
    '2026-01',
    '5',
    'a'.repeat(64),
  ];
  const value = [...texts, 5].find((one) => schema.safeParse(one).success);
  if (value === undefined) throw new Error('No value is accepted: add one.');
  return value;
}

/**
 * Returns a command line of an operation, and the request that it must send.
 * @param isWhole whether it has the arguments that may be left out
 */
function commandOf({ body, headers = {}, method, path, query, verb }: Verbal, isWhole: boolean) {
  const shapes = { query: shapeOf(query), body: shapeOf(body?.schema) };
  const { args = [], flags = {} } = verb;
  const words = verb.name.split(' ');
  const sent: Record<'query' | 'body', Record<string, unknown>> = { query: {}, body: {} };
  const address = path.replaceAll(/:\w+/g, () => {
    words.push('a b/ü');
    return encodeURIComponent('a b/ü');
  });
  const partOf = (field: string) => (field in shapes.query ? 'query' : 'body');
  for (const field of args) {
    const schema = shapes[partOf(field)][field] ?? z.never();
    if (!isWhole && schema.safeParse(undefined).success) continue;
    const isNone = !isWhole && schema.safeParse(null).success;
    const value = isNone ? null : valueOf(schema);
    if (value !== null) words.push(String(value));
    sent[partOf(field)][field] = value;
  }
  for (const part of ['query', 'body'] as const) {
    for (const [field, schema] of Object.entries(shapes[part])) {
      // Positions in pages, what a page shows, and the format of a file have commands of their own.
      if (args.includes(field) || ['after', 'shown', ...ofFiles].includes(field)) continue;
      if (!isWhole && field !== 'by' && field !== 'limit' && schema.safeParse(undefined).success)
        continue;
      const name = /^--(\S+)/.exec(flags[field] ?? '')?.[1] ?? kebab(field);
      const value = isSwitch(schema) ? true : valueOf(schema);
      words.push(`--${name}`, ...(value === true ? [] : [String(value)]));
      sent[part][field] = part === 'query' ? String(value) : value;
    }
  }
  const hasKey = 'Idempotency-Key' in headers;
  if (hasKey) words.push('--key', 'key-1');
  return {
    words,
    request: {
      method: method.toUpperCase(),
      address,
      query: sent.query,
      ...(body && { body: sent.body }),
      key: hasKey ? 'key-1' : null,
    },
  };
}
const ofFiles = ['format', 'bom', 'decimal', 'times', 'zone'];

const both = named.flatMap(([name, operation]) =>
  ['all', 'its required'].map((which) => [name, which, operation] as const),
);

test.each(both)('%s sends %s arguments in one request', async (_, which, operation) => {
  const { request, words } = commandOf(operation, which === 'all');
  const sent: object[] = [];
  const { run } = commandLine({ RECONCILIATION_URL: 'http://127.0.0.1:4002' }, (input, init) => {
    const { pathname, searchParams } = new URL(input);
    const { body, headers, method = 'GET' } = init;
    sent.push({
      method,
      address: pathname,
      query: Object.fromEntries(searchParams),
      ...(typeof body === 'string' && { body: JSON.parse(body) as unknown }),
      key: new Headers(headers).get('idempotency-key'),
    });
    return Promise.resolve(new Response('', { status: 500 }));
  });
  const { err } = await run(...words);
  expect([sent, err]).toEqual([[request], err]);
});

const shared = shareProgram((atEnd) => startShop(3, atEnd));
beforeAll(() => shared.program.sync(shopDays()));

/** Values of the arguments of lists, by the place in the path or the field. */
const values: Readonly<Record<string, string>> = {
  orderKey: 'order:A-3',
  lender: 'Northway Credit',
};
const lists = named.flatMap(([name, { table, ...one }]) =>
  table === undefined || /:(?!orderKey)/.test(one.path) ? [] : [[name, { ...one, table }] as const],
);
/** Kinds of columns that a terminal shows as they are. */
const plain: readonly string[] = ['text', 'word', 'count', 'day', 'moment'];

test.each(lists)(
  '%s prints its answer as a table, as JSON lines and as a file',
  async (name, { path, table, verb: { args = [] } }) => {
    const { program } = shared;
    const { run } = commandsOf(program);
    const valueAt = (argument: string) => values[argument] ?? '';
    const places = Array.from(path.matchAll(/:(\w+)/g), ([, place = '']) => place);
    const words = [...name.split(' '), ...[...places, ...args].map(valueAt)];
    const address = path.replaceAll(/:(\w+)/g, (_, place: string) =>
      encodeURIComponent(valueAt(place)),
    );
    const query = new URLSearchParams(
      args.map((field): [string, string] => [field, valueAt(field)]),
    );
    const answer = await program.get<Record<string, unknown[]>>(`${address}?${query.toString()}`);
    const rows = answer[table.rows] ?? [];

    const lines = (await run(...words, '--json')).out.split('\n').filter((line) => line !== '');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(rows);

    const columns = columnsOf(table);
    const kinds = new Map(columns.map((one) => [one.name, one.kind]));
    const shown = (table.shown ?? [...kinds.keys()]).map((names) => names.split('|'));
    const printed = await run(...words);
    const [head = '', ...rest] = printed.out.split('\n');
    if (rows.length === 0) expect(printed.err).toContain(table.empty);
    else {
      const heads = shown.map(([one = '']) => one.toUpperCase().replaceAll('_', ' '));
      expect(head.trim().split(/ {2,}/)).toEqual(heads);
    }
    for (const [at, row] of flatRows(table, answer).entries()) {
      const cells = shown
        .filter(([one = '']) => plain.includes(kinds.get(one) ?? ''))
        .map((names) => names.map((one) => row[one]).find(Boolean) ?? '');
      expect(cells.filter((cell) => rest[at]?.includes(String(cell)) !== true)).toEqual([]);
    }

    const file = await run(...words, '--format', 'csv');
    const zone = columns.some(({ kind }) => kind === 'moment') ? ['zone'] : [];
    const names = [...kinds.keys(), ...zone].join(',');
    expect([file.code, file.out.split('\n')[0]?.trimEnd()]).toEqual([0, names]);
  },
);

const paged = lists.filter(([, { query }]) => 'after' in shapeOf(query));

test.each(paged)('%s reads pages up to its limit', async (name, { answers, path, table, verb }) => {
  const words = [...name.split(' '), ...(verb.args ?? []).map((field) => values[field] ?? '')];
  const query = new URLSearchParams(
    (verb.args ?? []).map((field): [string, string] => [field, values[field] ?? '']),
  );
  const page = await shared.program.get<Record<string, unknown[]>>(`${path}?${query.toString()}`);
  const rows = page[table.rows] ?? [];
  if (rows.length === 0) return;
  const schema = answers[200]?.schema;
  const next = ['5', 5].find((one) => schema?.safeParse({ ...page, next: one }).success);
  const after: (string | null)[] = [];
  const { run } = commandLine({ RECONCILIATION_URL: 'http://127.0.0.1:4002' }, (input) => {
    after.push(new URL(input).searchParams.get('after'));
    return Promise.resolve(Response.json({ ...page, next: after.length === 1 ? next : undefined }));
  });
  const { out } = await run(...words, '--json', '--limit', String(2 * rows.length));
  expect([out.split('\n').length, after]).toEqual([2 * rows.length, [null, '5']]);
});

test('refuses --output without --format', async () => {
  const { code, err } = await commandsOf(shared.program).run('radar', '--output', 'radar.csv');
  expect([code, err]).toEqual([1, '--output requires --format.']);
});
