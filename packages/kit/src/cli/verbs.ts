import type { Command } from 'commander';
import type { z } from 'zod';
import { addCommand } from './command.ts';
import { CommandFailure } from './exit.ts';
import { optionOf } from './fields.ts';
import { announceKey, type OptionOf, type OptionTable, shared, value } from './options.ts';
import {
  columnsOf,
  type FlatRow,
  type FlatTable,
  type FlatValue,
  flatRows,
  rowsOf,
} from '../operation/rows.ts';
import type { Schema } from './schema.ts';
import type { Shell } from './shell.ts';
import { printTable, type TableColumn } from './table.ts';

/** The part of an operation's declaration that commands need. */
export interface DeclaredOperation<Kind extends string = string> {
  method: string;
  path: string;
  summary: string;
  headers?: Readonly<Record<string, string>> | undefined;
  query?: Fields | undefined;
  body?: Fields | undefined;
  answer?: Schema<unknown> | undefined;
  verb?:
    | {
        name: string;
        args?: readonly string[] | undefined;
        flags?: Readonly<Record<string, string>> | undefined;
        waits?: string | undefined;
      }
    | undefined;
  table?: FlatTable<Kind> | undefined;
}
interface Fields {
  shape: Readonly<Record<string, z.ZodType>>;
}

interface VerbRequest {
  method: 'GET' | 'POST';
  path: string;
  query: Record<string, string>;
  body?: Record<string, unknown>;
  /** Value of the Idempotency-Key header. */
  key?: string;
}

/** How a program's commands call its API, and their common options and cell formats. */
export interface Verbs<Kind extends string> {
  shell: Shell;
  call: (request: VerbRequest & { schema: Schema<unknown> }) => Promise<unknown>;
  /** Writes a table to a file. */
  save: (request: VerbRequest, output: string | undefined, type: string) => Promise<void>;
  /** Media types by the name of the file format. */
  formats: Readonly<Record<string, string>>;
  /** Options for tables that are written to files. The routes take them as query parameters. */
  writing: OptionTable;
  /** Returns the acting person. @param by as given on the command line */
  person: (by: string | undefined) => Promise<string | undefined>;
  /** Options with the same meaning in every command, by field. */
  options: OptionTable;
  /** Formats a value for a terminal. */
  cell: (kind: Kind, value: FlatValue, row: FlatRow) => string;
  isNumber: (kind: Kind) => boolean;
}

/** Rows per request for a list. */
const PAGE = 200;

type Given = Readonly<Record<string, unknown>>;

/** Output of a command after it received its answer. */
interface Ending<Answer> {
  /** Prints the parts of the answer outside the table. Not called with --json. */
  print?: (answer: Answer) => void;
  /** Prints follow-up advice, also with --json. A {@link CommandFailure} sets the exit code. */
  end?: (answer: Answer) => void | Promise<void>;
}

/** Adds an operation's command to its group. */
export function addVerb<Kind extends string, Answer>(
  group: Command,
  operation: DeclaredOperation<Kind> & { answer?: Schema<Answer> },
  verbs: Verbs<Kind>,
  { print, end }: Ending<Answer> = {},
): void {
  const { summary, table, verb } = operation;
  if (verb === undefined) throw new TypeError(`${operation.path} has no verb.`);
  const args = verb.args ?? [];
  const fields = { ...operation.query?.shape, ...operation.body?.shape };
  const places = parametersOf(operation.path);
  const words = [
    ...places.map((name) => ({ shown: `<${kebabCase(name)}>`, text: '' })),
    ...args.map(wordOf),
  ];
  const hasKey = operation.headers !== undefined && 'Idempotency-Key' in operation.headers;
  const names = new Map<string, string>();
  const options: Record<string, OptionOf<unknown>> = {};
  for (const [field, schema] of Object.entries(fields)) {
    // The cursor and `shown` are for programs.
    if (args.includes(field) || field === 'after' || field === 'shown') continue;
    const described = verb.flags?.[field] ?? '';
    const name = /^--(\S+)/.exec(described)?.[1] ?? kebabCase(field);
    names.set(name, field);
    options[name] = verb.flags?.[field] === undefined ? shown(field) : optionOf(schema, described);
  }
  if (table !== undefined) {
    options.format = formatOption(Object.keys(verbs.formats));
    Object.assign(options, verbs.writing);
    options.output = value('<file>', 'output file, written atomically');
  }
  if (hasKey) options.key = shared.key();
  options.json = table === undefined ? shared.json() : shared.jsonLines();
  const usage = [verb.name.split(' ').at(-1), ...words.map((word) => word.shown)].join(' ');
  const description = summary.charAt(0).toLowerCase() + summary.slice(1);
  addCommand(group, { usage, description, options, words }, async (given, ...typed) => {
    await run(given, typed);
  });

  function wordOf(field: string) {
    const [, shown = field, text = ''] =
      /^(?:<(.+?)>\s*)?(.*)$/s.exec(verb?.flags?.[field] ?? '') ?? [];
    const schema = fields[field];
    if (schema === undefined) throw new TypeError(`${operation.path} has no ${field}.`);
    const { choices } = optionOf(schema, text);
    return {
      shown: isOptional(schema) ? `[${shown}]` : `<${shown}>`,
      text,
      ...(choices && { choices }),
    };
  }

  function shown(field: string): OptionOf<unknown> {
    const option = verbs.options[field];
    if (option === undefined) throw new TypeError(`${operation.path}: describe ${field}.`);
    return option;
  }

  /** A missing argument becomes null where the schema requires the field. */
  function emptyOf(field: string): null | undefined {
    return fields[field]?.safeParse(undefined).success === true ? undefined : null;
  }

  async function run(given: Given, typed: readonly (string | undefined)[]): Promise<void> {
    const request = await requestOf(given, typed);
    const { format, output } = given;
    for (const name of table === undefined ? [] : ['format', ...Object.keys(verbs.writing)]) {
      const one = given[name];
      if (typeof one === 'string' || one === true) request.query[name] = String(one);
    }
    if (typeof format === 'string') {
      const file = typeof output === 'string' ? output : undefined;
      await verbs.save(request, file, verbs.formats[format] ?? '');
      return;
    }
    if (output !== undefined) throw new CommandFailure('--output requires --format.');
    if (verb?.waits !== undefined) verbs.shell.say(verb.waits);
    const { answer: schema } = operation;
    if (schema === undefined) throw new TypeError(`${operation.path} has no answer.`);
    const answer = await read(request, schema, given.limit);
    if (table !== undefined && given.json === true) {
      for (const row of rowsOf(table, answer)) verbs.shell.print(JSON.stringify(row));
    } else if (given.json === true) verbs.shell.print(JSON.stringify(answer));
    else if (table !== undefined) printRows(verbs, table, answer);
    if (given.json !== true) print?.(answer);
    await end?.(answer);
  }

  /** Reads an answer. For a paged list, reads pages up to the requested number of rows. */
  async function read(request: VerbRequest, schema: Schema<unknown>, limit: unknown) {
    const isPaged = table !== undefined && typeof limit === 'number' && 'after' in fields;
    if (!isPaged) return (await verbs.call({ ...request, schema })) as Answer;
    const rows: unknown[] = [];
    const { query } = request;
    for (;;) {
      query.limit = String(Math.min(PAGE, limit - rows.length));
      const answer = (await verbs.call({ ...request, schema })) as Answer & { next?: unknown };
      rows.push(...rowsOf(table, answer));
      const { next } = answer;
      if (rows.length >= limit || (typeof next !== 'string' && typeof next !== 'number')) {
        return { ...answer, [table.rows]: rows };
      }
      query.after = String(next);
    }
  }

  async function requestOf(
    given: Given,
    typed: readonly (string | undefined)[],
  ): Promise<VerbRequest> {
    const path = places.reduce(
      (made, name, index) => made.replace(`:${name}`, encodeURIComponent(typed[index] ?? '')),
      operation.path,
    );
    const values: Record<string, unknown> = Object.fromEntries([
      ...args.map(
        (field, index) => [field, typed[places.length + index] ?? emptyOf(field)] as const,
      ),
      ...Array.from(names, ([name, field]) => [field, given[camelCase(name)]] as const),
    ]);
    if ('by' in (operation.body?.shape ?? {})) {
      values.by = await verbs.person(typeof values.by === 'string' ? values.by : undefined);
    }
    const of = (part: Fields | undefined) =>
      Object.entries(values).filter(
        ([field, one]) => one !== undefined && field in (part?.shape ?? {}),
      );
    const { key } = given;
    return {
      ...(hasKey && { key: announceKey(verbs.shell, typeof key === 'string' ? key : undefined) }),
      method: operation.method === 'get' ? 'GET' : 'POST',
      path,
      query: Object.fromEntries(of(operation.query).map(([field, one]) => [field, String(one)])),
      ...(operation.body && { body: Object.fromEntries(of(operation.body)) }),
    };
  }
}

const isOptional = (schema: z.ZodType) =>
  schema.safeParse(undefined).success || schema.safeParse(null).success;

const kebabCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const camelCase = (name: string) =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

const parametersOf = (path: string) =>
  Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name);

const formatOption = (formats: readonly string[]): OptionOf<string | undefined> => ({
  placeholder: '<format>',
  text: 'write all rows as a file of this format',
  choices: formats,
});

/** Prints the rows of an answer or the message for an empty one, and the number of omitted rows. */
function printRows<Kind extends string>(
  { cell, isNumber, shell }: Verbs<Kind>,
  table: FlatTable<Kind>,
  answer: unknown,
): void {
  const rows = flatRows(table, answer);
  const kinds = new Map(columnsOf(table).map(({ name, kind }) => [name, kind]));
  const columns = (table.shown ?? [...kinds.keys()]).map((shown): TableColumn<FlatRow> => {
    const names = shown.split('|');
    const kind = kinds.get(names[0] ?? '');
    if (kind === undefined) throw new TypeError(`${shown} is no column.`);
    return {
      head: (names[0] ?? '').toUpperCase().replaceAll('_', ' '),
      cell: (row) => names.map((name) => cell(kind, row[name], row)).find(Boolean) ?? '',
      align: isNumber(kind) ? 'right' : 'left',
    };
  });
  if (rows.length === 0) shell.say(table.empty);
  else printTable(shell, columns, rows);
  const { count, next } = answer as { count?: number; next?: unknown };
  if (next === undefined) return;
  const left = count === undefined ? 'There are more' : `${count - rows.length} more`;
  shell.say(`${left}: set --limit, or --format for a file of all.`);
}
