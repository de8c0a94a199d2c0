import type { z } from 'zod';

/**
 * Type of the values of a column:
 *
 * - `text` may come from an order, a lender or a person; a `word` is the program's own.
 * - `amount`: minor units of the row's `currency`.
 * - `percent`: basis points of the answer, hundredths of a percent.
 * - `moment`: ISO 8601 in UTC, shown in the zone of the file; a `day` has no zone.
 */
export type ColumnKind =
  | 'text'
  | 'word'
  | 'amount'
  | 'count'
  | 'decimal'
  | 'percent'
  | 'moment'
  | 'day'
  | 'yesNo';

/** The flat rows of an answer, for terminals and files. */
export interface Table {
  /** Field of the answer with the rows. */
  rows: string;
  /**
   * By the column's name in files. The value comes from the field with that name in camel case, or
   * from the given field, such as `amounts.net`; `a|b` falls back to the second field. Missing row
   * fields come from the answer. Lists become their values; records become their parts, except
   * those with their own columns.
   */
  columns: Readonly<Record<string, ColumnKind | readonly [field: string, kind: ColumnKind]>>;
  /** Columns in a terminal, by default all; `a|b` falls back to the second one. */
  shown?: readonly string[];
  /** Text for a terminal if there are no rows. */
  empty: string;
}

/**
 * The command of an operation. Its arguments are the path parameters, then `args`; each other
 * field of the query and of the body is an option.
 */
export interface Verb {
  /** Group and name: `periods reopen`. */
  name: string;
  args?: readonly string[];
  /**
   * Descriptions of options by field, preceded by `--name <value>  ` if the option has another
   * name, and of arguments, preceded by `<name>  `.
   */
  flags?: Readonly<Record<string, string>>;
  /** Message that a terminal shows while waiting. */
  waits?: string;
}

/**
 * An operation, declared once as plain data. Its route, validation, OpenAPI entry, command, file and
 * typed call are derived from it.
 */
export interface Operation<Scope extends string = string> {
  method: 'get' | 'post' | 'delete';
  path: string;
  summary: string;
  description?: string;
  scope: Scope;
  /** Headers that the request must have, with their descriptions. */
  headers?: Readonly<Record<string, string>>;
  query?: z.ZodObject;
  body?: z.ZodObject;
  answer?: z.ZodType;
  /** Media types, if the answer is a file. */
  file?: readonly string[];
  problems?: readonly string[];
  verb?: Verb;
  table?: Table;
}

/** The idempotency header of a change that must take effect only once. */
export const keyHeader = {
  'Idempotency-Key': '1 to 255 printable ASCII characters, new for each request.',
};

type More = Omit<Operation, 'method' | 'path' | 'scope'>;

export const read = <const Path extends string, const One extends More>(path: Path, more: One) =>
  ({ method: 'get', scope: 'read', path, ...more }) as const;

export const change = <
  const Scope extends string,
  const Path extends string,
  const One extends More,
>(
  scope: Scope,
  path: Path,
  more: One,
) => ({ method: 'post', scope, path, ...more }) as const;

type ByName<Operations> = {
  [
    One in Operations extends unknown ? Operations[keyof Operations] : never as One extends {
      method: infer Method extends string;
      path: infer Path extends string;
    }
      ? `${Method} ${Path}`
      : never
  ]: One;
};
type Parameters<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & Parameters<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Record<Name, string>
    : object;
/** The query type: absent without parameters, and optional if all parameters are. */
type Query<One> = One extends { query: infer Schema extends z.ZodType }
  ? z.input<Schema> extends Record<string, never>
    ? object
    : Partial<z.input<Schema>> extends z.input<Schema>
      ? { query?: z.input<Schema> }
      : { query: z.input<Schema> }
  : object;
type Body<One> = One extends { body: infer Schema extends z.ZodType }
  ? { body: z.input<Schema> }
  : object;

/** Names of operations, such as `post /periods/:period/reopening`. */
export type Names<Operations> = keyof ByName<Operations>;

/** The input of a call: path parameters, query and body. */
export type Input<Operations, Name extends Names<Operations>> = Parameters<Name> &
  Query<ByName<Operations>[Name]> &
  Body<ByName<Operations>[Name]>;

export type Answer<Operations, Name extends Names<Operations>> = ByName<Operations>[Name] extends {
  answer: infer Schema extends z.ZodType;
}
  ? z.output<Schema>
  : undefined;

/** Typed call of one of several operations by name. `Operations`: a record, or a union of records. */
export type Call<Operations, More = object> = <Name extends Names<Operations>>(
  name: Name,
  input: Input<Operations, Name> & More,
) => Promise<Answer<Operations, Name>>;
