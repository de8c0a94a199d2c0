/*
 * What users, programs and spreadsheets rely on: the help of each command, the OpenAPI documents, the
 * fields of each answer, and the columns of each file, all for the seeded month. A change to how these are
 * declared must leave the snapshots as they are; an intended difference changes them in the same commit.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadMonth } from '../../scripts/history/load.ts';
import { root } from '../../scripts/paths.ts';
import { type FreshStack, freshStack } from './harness.ts';

const mains = {
  'financing-companion': 'packages/server/dist/node/main.js',
  'financing-reconcile': 'packages/reconciliation/dist/cli/main.js',
};

/** Returns the help of a program and of all its commands, in the order of the help. */
async function helpOf(main: string, from: readonly string[] = []): Promise<string> {
  const script = join(root, 'scripts/run-commands.ts');
  const { NODE_COMPILE_CACHE, PATH } = process.env;
  const child = spawn(process.execPath, ['--no-warnings', script, join(root, main)], {
    env: { NODE_COMPILE_CACHE, PATH },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const pages: string[] = [];
  const visit = async (words: readonly string[]): Promise<void> => {
    child.stdin.write(`${JSON.stringify({ words: [...words, '--help'], env: {} })}\n`);
    const { value } = await answers.next();
    const { out } = JSON.parse(String(value)) as { out: string };
    pages.push(`$ ${['', ...words].join(' ').trim()} --help\n${out}`);
    const [, commands = ''] = /\nCommands:\n([\s\S]*?)(?:\n\n|$)/.exec(out) ?? [];
    for (const [, name = ''] of commands.matchAll(/^ {2}([a-z][\w-]*)/gm)) {
      if (name !== 'help') await visit([...words, name]);
    }
  };
  try {
    await visit(from);
  } finally {
    child.stdin.end();
  }
  return pages.join('\n');
}

test.each(Object.entries(mains))('the help of each command of %s', async (name, main) => {
  await expect(await helpOf(main)).toMatchFileSnapshot(`surface/${name}.help.txt`);
});

type Name = 'companion' | 'reconciliation';

let stack: FreshStack;

const addresses = {
  companion: () => ({ url: stack.backOffice, token: stack.secrets.backOfficeToken }),
  reconciliation: () => ({ url: stack.reconciliation, token: stack.secrets.annaToken }),
};

async function read(name: Name, path: string): Promise<Response> {
  const { url, token } = addresses[name]();
  return fetch(url + path, { headers: { authorization: `Bearer ${token}` }, redirect: 'manual' });
}

async function json<Answer>(name: Name, path: string): Promise<Answer> {
  const response = await read(name, path);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

beforeAll(async () => {
  stack = await freshStack({ month: true });
  await loadMonth(stack);
}, 900_000);
afterAll(async () => {
  // The month has a funding of an undocumented type.
  await expect(stack.remove()).rejects.toThrow('transactionType');
});

/** Lists the fields of a value with their types: `cases[].amount number`. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => fieldsOf(one, `${path}[]`));
  if (typeof value !== 'object' || value === null) {
    return [`${path || '.'} ${value === null ? 'null' : typeof value}`];
  }
  return Object.entries(value).flatMap(([name, field]) =>
    fieldsOf(field, path === '' ? name : `${path}.${name}`),
  );
}

const linesOf = (lines: readonly string[]) => `${[...new Set(lines)].toSorted().join('\n')}\n`;

/** Returns a JSON document with one line for each of its fields of the first two levels. */
function documentLines(document: Readonly<Record<string, object>>): string {
  const lines = Object.entries(document).flatMap(([name, value]) =>
    typeof value === 'object'
      ? Object.entries(value).map(([key, part]) => `${name}.${key} ${JSON.stringify(part)}`)
      : [`${name} ${JSON.stringify(value)}`],
  );
  return `${lines.join('\n')}\n`;
}

test.each(['companion', 'reconciliation'] as const)(
  'the OpenAPI document of the %s',
  async (name) => {
    const document = await json<Record<string, object>>(name, '/openapi.json');
    await expect(documentLines(document)).toMatchFileSnapshot(`surface/${name}.openapi.txt`);
  },
);

interface MonthCase {
  id: string;
  orderKey: string;
  code: string;
}

/** Requests of the seeded month for each answer that a person or a program reads. */
async function requestsOf(name: Name): Promise<string[]> {
  if (name === 'companion') {
    const { entries } = await json<{ entries: { merchantOrderId: string; chargeId?: string }[] }>(
      name,
      '/ledger',
    );
    const charged = entries.find(({ chargeId }) => chargeId !== undefined);
    const charge = encodeURIComponent(charged?.chargeId ?? '');
    const order = encodeURIComponent(charged?.merchantOrderId ?? '');
    return [
      ...['/charge-operations?state=unclear', '/ledger', '/webhooks'],
      ...[`/charges/${charge}`, `/charges?merchantOrderId=${order}`],
      `/checkouts?merchantOrderId=${order}`,
      `/links?merchantOrderId=${order}`,
    ];
  }
  const { cases } = await json<{ cases: MonthCase[] }>(name, '/cases?limit=1000');
  const of = (code: string) => cases.find((one) => one.code === code);
  const orders = ['MDR_NOT_RETURNED', 'NOT_IN_LEDGER'].map((code) => of(code)?.orderKey ?? '');
  const { syncs } = await json<{ syncs: { id: string }[] }>(name, '/syncs');
  const { days } = await json<{ days: { day: string }[] }>(name, '/days');
  const last = days.at(-1)?.day ?? '';
  return [
    ...['/summary', '/orders?limit=1000', '/exceptions?limit=1000', '/cases?limit=1000'],
    ...['/cases/summary', '/cases/people', '/cases/aging'],
    ...['/cases/counts?filter=state%3Dopen', '/trail', '/trail/verification'],
    ...['/alerts', '/walk', '/walk?period=P01', '/walk/months', '/discounts', '/radar', '/lags'],
    ...[
      '/forecast',
      '/today',
      '/coverage',
      '/days',
      '/imports',
      '/syncs',
      '/periods',
      '/days/sums',
      '/days/unproven',
      '/quarantine',
    ],
    ...['/periods/P01', '/periods/verification', '/periods/P01/adjustments', '/journals'],
    ...['/periods/P01/orders?step=net', '/journals/chart', '/periods/P01/seal'],
    ...cases.slice(0, 200).map(({ id }) => `/cases/${id}`),
    ...cases.slice(0, 20).map(({ id }) => `/cases/${id}/similar`),
    ...orders.map((key) => `/orders/${encodeURIComponent(key)}`),
    ...orders.flatMap((key) =>
      ['timeline', 'discounts', 'charges?currency=USD', 'operations?currency=USD'].map(
        (list) => `/orders/${encodeURIComponent(key)}/${list}`,
      ),
    ),
    ...syncs.map(({ id }) => `/syncs/${id}`),
    ...[`/migration?from=${last}&to=${last}`, '/exports/orders?format=ndjson'],
    ...['exceptions', 'cases', 'lines'].map((table) => `/exports/${table}?format=ndjson`),
  ];
}

test.each(['companion', 'reconciliation'] as const)(
  'the fields of each answer of the %s',
  async (name) => {
    const fields: string[] = [];
    for (const path of await requestsOf(name)) {
      const response = await read(name, path);
      const text = await response.text();
      if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
      const [route = ''] = path.split('?');
      const lines =
        response.headers.get('content-type')?.includes('ndjson') === true
          ? text.trim().split('\n')
          : [text];
      const known = route.replace(
        /(\/(?:cases|syncs|orders|charges)\/)(?!summary|people|aging|counts|verification)[^/]+/,
        '$1*',
      );
      for (const line of lines) {
        fields.push(...fieldsOf(JSON.parse(line)).map((field) => `${known} ${field}`));
      }
    }
    await expect(linesOf(fields)).toMatchFileSnapshot(`surface/${name}.answers.txt`);
  },
);

interface Described {
  paths: Record<
    string,
    {
      get?: {
        parameters?: { name: string; required?: boolean }[];
        responses: Record<number, { content?: Record<string, unknown> } | undefined>;
      };
    }
  >;
}

/** Returns the first line of a file. */
async function headOf(path: string): Promise<string> {
  const response = await read('reconciliation', path);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return text.split('\r\n')[0] ?? '';
}

test('the columns of each file of reconciliation', async () => {
  const name = 'reconciliation';
  const { cases } = await json<{ cases: MonthCase[] }>(name, '/cases?limit=1000');
  const orderKey = cases.find(({ code }) => code === 'MDR_NOT_RETURNED')?.orderKey ?? '';
  const heads: string[] = [];
  const help = await helpOf(mains['financing-reconcile'], ['export']);
  const [, tables = ''] = /\(choices:([^)]*)\)/.exec(help) ?? [];
  for (const [, table = ''] of tables.matchAll(/"([^"]+)"/g)) {
    heads.push(`${table}: ${await headOf(`/exports/${table}?format=csv`)}`);
  }
  const { paths } = await json<Described>(name, '/openapi.json');
  for (const [path, { get }] of Object.entries(paths)) {
    if (path === '/exports/{table}' || get?.responses[200]?.content?.['text/csv'] === undefined) {
      continue;
    }
    const chosen = Object.entries({ step: 'net', lender: 'Quillmoor Finance' })
      .filter(([name]) =>
        get.parameters?.some(
          (one) => one.name === name && (name === 'step' || one.required === true),
        ),
      )
      .map(([name, value]) => `&${name}=${encodeURIComponent(value)}`)
      .join('');
    const one = path.replace('{period}', 'P01').replace('{orderKey}', encodeURIComponent(orderKey));
    heads.push(`${path}: ${await headOf(`${one}?format=csv${chosen}`)}`);
  }
  expect(heads.length).toBeGreaterThan(20);
  await expect(`${heads.join('\n')}\n`).toMatchFileSnapshot('surface/columns.txt');
});
