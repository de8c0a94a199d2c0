/* Compares docs/service-coverage.md with the sources: operations, browser script and notifications. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { publishedOperations } from '../../packages/sandbox/dist/published/index.js';
import { root } from './tree.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const text = read('docs/service-coverage.md');

/** Returns the cells of the rows in a part of the document. */
const rowsOf = (part: string) =>
  Array.from(part.matchAll(/^\| (.+) \|$/gm), ([, row = '']) =>
    row.split(/ +\|(?: +|$)/).map((cell) => cell.trim()),
  ).filter(([first = '']) => !first.startsWith('-'));

/** Returns the rows of a chapter, without the head. */
const rowsIn = (chapter: string) =>
  rowsOf(text.split(/^## /m).find((part) => part.startsWith(`${chapter}\n`)) ?? '').slice(1);

/** Returns the texts in a cell that are code. */
const codesIn = (cell: string) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = '']) => code);

interface Row {
  method: string;
  path: string;
  calledIn: string;
  sandbox: string;
  answer: string;
}

/** Returns the rows of the document's tables whose first cell is an operation. */
function operationRows(): Row[] {
  return rowsOf(text).flatMap(([operation = '', calledIn = '', sandbox = '', answer = '']) => {
    const [, method, path] = /^(GET|POST|PATCH) (\S+)$/.exec(operation) ?? [];
    return method && path ? [{ method, path, calledIn, sandbox, answer }] : [];
  });
}

/** Returns the routes in a source file, with their parameters as {}. */
function callsOf(file: string): string[] {
  const routes = read(join('packages', file)).matchAll(/'(\/v\d\/[^']*)'|`(\/v\d\/[^`]*)`/g);
  return Array.from(routes, ([, plain, template]) => normal(plain ?? template ?? ''));
}

/** Normalizes the parameters of a path, and expands "…", with which the document shortens a charge's path. */
const normal = (path: string) =>
  path
    .replace(/^…(?=\/\{chargeid\})/, '/v2/post-sale/charges')
    .replace(/^…(?=\/\{accountToken\})/, '/v2/accounts')
    .replaceAll(/\$?\{[^}]*\}/g, '{}');

const sources = globSync('packages/{server,widget}/src/**/*.ts', { cwd: root })
  .filter((file) => !/\.(test|fixture)\.ts$/.test(file))
  .map((file) => file.replace(/^packages\//, ''));

test('the table of operations names the caller of each operation, and no caller of an unused one', () => {
  const rows = operationRows();
  expect(rows.length).toBeGreaterThan(15);
  const called = new Map(sources.map((file) => [file, callsOf(file)]));
  for (const { method, path, calledIn } of rows) {
    const wanted = normal(path);
    const files = sources.filter((file) => called.get(file)?.includes(wanted));
    const isShared = method === 'PATCH';
    if (calledIn !== 'no') expect(files, `${method} ${path}`).toContain(calledIn);
    else if (!isShared) expect(files, `${method} ${path}`).toEqual([]);
  }
});

test('the table contains every operation that the companion calls', () => {
  const known = operationRows().map(({ path }) => normal(path));
  const called = callsOf('server/src/service/client.ts');
  expect(called.length).toBeGreaterThan(5);
  for (const path of called) expect(known).toContain(path);
});

test('the table says of each operation whether the sandbox answers it, and contains all of those', () => {
  const published = new Set(
    publishedOperations.map(({ method, path }) => `${method} ${normal(path)}`),
  );
  const rows = operationRows().map(({ answer, method, path, sandbox }) => ({
    operation: `${method} ${normal(path)}`,
    said: [sandbox, answer.replace(/ .*/, '')],
  }));
  for (const { operation, said } of rows) {
    const isPublished = published.has(operation) ? 'yes' : 'no';
    expect([operation, ...said]).toEqual([operation, isPublished, isPublished]);
  }
  const listed = new Set(rows.map(({ operation }) => operation));
  expect([...published].filter((one) => !listed.has(one))).toEqual([]);
});

test('the files that the document names exist', () => {
  const files = codesIn(text).filter((code) => /^[\w-]+\/[\w./-]+$/.test(code));
  expect(files.length).toBeGreaterThan(20);
  const folders = ['.', 'packages', 'packages/widget/src'];
  const isThere = (file: string) => folders.some((at) => existsSync(join(root, at, file)));
  expect(files.filter((file) => !isThere(file))).toEqual([]);
});

describe('the table of the browser script', () => {
  const rows = rowsIn('Browser script').map(([names = '', used = '', where = '']) => ({
    // Of "payments.present('apply', …)" the widget passes on the kind.
    names: codesIn(names).map((name) => /'.*'/.exec(name)?.[0] ?? name.replace(/\(.*/, '')),
    used,
    where: codesIn(where).filter((file) => file.endsWith('.ts')),
  }));
  const widget = sources.filter((file) => file.startsWith('widget/'));
  const has = (file: string, name: string) =>
    new RegExp(`(?<![\\w-])${name.replaceAll('.', '\\.')}(?![\\w-])`).test(
      read(join('packages', file)),
    );

  test('names the callers of what is used, and no caller of the rest', () => {
    expect(rows.length).toBeGreaterThan(10);
    for (const { names, used, where } of rows) {
      expect([names, used]).toEqual([names, where.length > 0 ? 'yes' : 'no']);
      const files = where.length > 0 ? where.map((file) => `widget/src/${file}`) : widget;
      const found = names.filter((name) => files.some((file) => has(file, name)));
      expect(found).toEqual(used === 'yes' ? names : []);
    }
  });

  test('contains each kind of present, and each callback that the widget passes on', () => {
    const presenting = /showDialog\(sdk, ('\w+')/g;
    const code = widget
      .map((file) => read(join('packages', file)))
      .filter((one) => one.search(presenting) !== -1)
      .join('\n');
    const kinds = code.matchAll(presenting);
    const callbacks = code.matchAll(/^ {4}(on[A-Z]\w+|callback): (?:async )?\(/gm);
    const passed = [...kinds, ...callbacks].map(([, name = '']) => name);
    expect(new Set(passed).size).toBeGreaterThan(4);
    const listed = new Set(rows.filter(({ used }) => used === 'yes').flatMap(({ names }) => names));
    expect(passed.filter((name) => !listed.has(name))).toEqual([]);
  });
});

test('the table of notifications says what the companion does with each event', () => {
  const receive = read('packages/server/src/notifications/receive.ts');
  const eventsIn = (code: string) =>
    Array.from(code.matchAll(/'((?:application|links)\.[\w-]+)'/g), ([, event = '']) => event);
  const inSet = (name: string) =>
    eventsIn(receive.split(`const ${name} = new Set([`)[1]?.split(']);')[0] ?? '');
  const [confirmed] = eventsIn(receive.split('const CONFIRMED = ')[1] ?? '');
  const rows = rowsIn('Notifications').flatMap(([events = '', , , does = '']) =>
    codesIn(events).map((event) => [event, does.split(/[;,]/)[0]] as const),
  );
  const listed = rows.filter(([event]) => /^(?:application|links)\.[\w-]+$/.test(event));
  expect(Object.fromEntries(listed)).toEqual({
    ...Object.fromEntries(inSet('noted').map((event) => [event, 'notes it'])),
    ...Object.fromEntries(
      inSet('followed').map((event) => [event, "reads the application's status"]),
    ),
    [confirmed ?? '']: 'makes the charge',
  });
  const published = eventsIn(read('packages/sandbox/src/published/notifications.ts'));
  const names = new Set(rows.map(([event]) => event));
  expect(published.filter((event) => !names.has(event))).toEqual([]);
});
