import type { ColumnType } from 'kysely';

/** What a database stores in a column; `ddl.ts` has the types. */
export type Storage = 'text' | 'whole' | 'real' | 'flag' | 'bytes';
export type DatabaseKind = 'sqlite' | 'postgres' | 'duckdb';
type StoredValue = string | number | Uint8Array;

interface Codec<Value, Stored> {
  storage: Storage;
  /** @param place table and column, for the error message */
  decode(stored: Stored, place: string): Value;
  encode(value: Value): Stored;
}

interface Terms {
  isOptional?: boolean;
  isKey?: boolean;
  isUnique?: boolean;
  check?: string;
  types?: Partial<Record<DatabaseKind, string>>;
  since?: string;
}

/** A column: its values, and how a database stores them. */
export class Column<Value, Stored, Optional extends boolean = boolean> {
  readonly codec: Codec<Value, Stored>;
  readonly terms: Terms;
  /** Used only for types. */
  declare readonly isOptional: Optional;

  constructor(codec: Codec<Value, Stored>, terms: Terms = {}) {
    this.codec = codec;
    this.terms = terms;
  }

  #with<Now extends boolean = Optional>(terms: Terms): Column<Value, Stored, Now> {
    return new Column(this.codec, { ...this.terms, ...terms });
  }

  /** May be null, which is read as undefined. */
  optional = () => this.#with<true>({ isOptional: true });
  /** Adds the column to the primary key; key columns keep their order. */
  key = () => this.#with({ isKey: true });
  unique = () => this.#with({ isUnique: true });
  /** @param check SQL that uses the database's column names */
  check = (check: string) => this.#with({ check });
  /** Overrides the column type in some databases. */
  as = (types: Partial<Record<DatabaseKind, string>>) => this.#with({ types });
  /**
   * Names the migration that adds the column to a table. The column is optional, because programs of
   * the previous version write rows without it.
   */
  since = (migration: string) => this.#with<true>({ isOptional: true, since: migration });
}

const column = <Value, Stored extends StoredValue>(codec: Codec<Value, Stored>) =>
  new Column<Value, Stored, false>(codec);
const same = <Value>(value: Value) => value;

export const text = () => column<string, string>({ storage: 'text', decode: same, encode: same });

/** One of several strings. Reading any other string from the database is an error. */
export function choice<const Value extends string>(values: readonly Value[]) {
  const known = new Map<string, Value>(values.map((value) => [value, value]));
  function decode(stored: string, place: string): Value {
    const value = known.get(stored);
    if (value === undefined) throw new Error(`The store has an unknown value in ${place}.`);
    return value;
  }
  return column<Value, Value>({ storage: 'text', decode, encode: same });
}

/** A 64-bit integer that JavaScript can represent exactly. */
export const whole = () =>
  column<number, number>({ storage: 'whole', decode: wholeOf, encode: same });
/** Milliseconds since 1970. */
export const moment = whole;
export const real = () => column<number, number>({ storage: 'real', decode: same, encode: same });
export const bytes = () =>
  column<Uint8Array, Uint8Array>({ storage: 'bytes', decode: same, encode: same });

export const flag = () =>
  column<boolean, number>({
    storage: 'flag',
    // DuckDB returns a boolean, and a merchant's own driver may return text.
    decode: (stored: unknown) => Number(stored) === 1,
    encode: Number,
  });

/** @param schema checks a value when it is read */
export const json = <Value>(schema: { parse: (value: unknown) => Value }) =>
  column<Value, string>({
    storage: 'text',
    decode: (stored) => schema.parse(JSON.parse(stored)),
    encode: (value) => JSON.stringify(value),
  });

/**
 * Returns a whole number that a driver returned as a number, a bigint or text.
 * @throws {RangeError} if JavaScript cannot represent it exactly
 */
export function wholeOf(stored: unknown): number {
  const value = Number(stored);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError('The store has a number that is not a safe integer.');
}

export type Columns = Readonly<Record<string, Column<unknown, StoredValue>>>;
type NameOf<C> = keyof C & string;
/** A column, or the fields of an object with their columns. */
type Group<Name extends string> = Name | { readonly [field: string]: Group<Name> };
type Groups<Name extends string> = Readonly<Record<string, Group<Name>>>;
type Leaves<G> = G extends string ? G : { [F in keyof G]: Leaves<G[F]> }[keyof G];

type OptionalOf<C> = {
  [N in keyof C]: C[N] extends { isOptional: false } ? never : N;
}[keyof C];
type ValueOf<C, G> = G extends keyof C
  ? C[G] extends { codec: { decode(stored: never, place: string): infer Value } }
    ? Value
    : never
  : { -readonly [F in keyof G]: ValueOf<C, G[F]> };
type OptionalGroups<C, G> = {
  [F in keyof G]: Leaves<G[F]> & OptionalOf<C> extends never ? never : F;
}[keyof G];

type RowOf<C, G> = Flat<
  { [N in keyof C as Exclude<N, Leaves<G> | OptionalOf<C>>]: ValueOf<C, N> } & {
    [N in keyof C as Exclude<N & OptionalOf<C>, Leaves<G>>]?: ValueOf<C, N> | undefined;
  } & { [F in Exclude<keyof G, OptionalGroups<C, G>>]: ValueOf<C, G[F]> } & {
    [F in OptionalGroups<C, G>]?: ValueOf<C, G[F]> | undefined;
  }
>;
type Flat<Of> = { -readonly [N in keyof Of]: Of[N] };

type StoredOf<C> = C extends { codec: { encode(value: never): infer Stored } } ? Stored : never;
type Wide<Stored> = Stored extends string ? string : Stored;
/** Columns as a driver returns them. */
export type SelectedRow<C> = {
  [N in keyof C]: Wide<StoredOf<C[N]>> | (N extends OptionalOf<C> ? undefined : never);
};
type Written<C> = {
  -readonly [N in keyof C]: StoredOf<C[N]> | (N extends OptionalOf<C> ? null : never);
};
type KyselyTable<C> = {
  [N in keyof C]: ColumnType<
    SelectedRow<C>[N],
    Written<C>[N] | (N extends OptionalOf<C> ? undefined : never),
    Written<C>[N]
  >;
};

interface IndexTerms<Name extends string> {
  on: readonly Name[];
  isUnique?: boolean;
  /** Condition of a partial index: SQL that uses the database's column names. */
  where?: string;
  /** Migration that adds the index. @default the newest of its columns */
  since?: string;
}

interface TableTerms<Name extends string> {
  indexes?: Readonly<Record<string, readonly Name[] | IndexTerms<Name>>>;
  /**
   * Row fields that are made of several columns. A field is undefined unless all its columns have
   * values. If fields share a column, the first of them sets it to null.
   */
  groups?: Groups<Name>;
  /** When a row is due, and how often it was claimed: see `worklist`. */
  work?: { readonly dueAt: Name; readonly tries: Name };
  /** Migration that adds the table. @default the baseline */
  since?: string;
}
type GroupsOf<T> = T extends { groups: infer G } ? G : unknown;

/** A table's schema in the databases. */
export interface TableDefinition<C extends Columns = Columns> {
  readonly name: string;
  readonly columns: C;
  readonly indexes: Readonly<Record<string, IndexTerms<string>>>;
  readonly since: string | undefined;
  readonly work: TableTerms<string>['work'];
}

/** A table, with the functions derived from its definition. */
export interface Table<C extends Columns, G> extends TableDefinition<C> {
  /** Converts a selection of all columns to a row. */
  read: (selected: SelectedRow<C>) => RowOf<C, G>;
  /** Converts a row to all its columns, for an insert. */
  write: (row: RowOf<C, G>) => Written<C>;
  /** Converts some fields to their columns, for an update. An undefined field becomes null. */
  change: (fields: Partial<RowOf<C, G>>) => Partial<Written<C>>;
}

export type Row<T extends { read: (selected: never) => unknown }> = ReturnType<T['read']>;
/** A row as it is inserted. */
export type WrittenRow<T extends { write: (row: never) => unknown }> = ReturnType<T['write']>;
export type KyselyTables<Tables> = {
  [N in keyof Tables]: Tables[N] extends { columns: infer C } ? KyselyTable<C> : never;
};

type Values = Record<string, unknown>;
interface Field {
  read: (selected: Values) => unknown;
  write: (written: Values, value: unknown) => void;
}

/**
 * Defines a table. Its row types, its statements in each database, and how rows are read and
 * written are derived from the definition. Names are in camel case here and in snake case in the
 * database.
 *
 * @example
 * ```ts
 * const days = table(
 *   'days',
 *   { day: text().key(), state: choice(['complete', 'failed']), provenAt: moment().optional() },
 *   { indexes: { daysByProof: ['provenAt'] } },
 * );
 * type Day = Row<typeof days>;
 * ```
 */
export function table<const C extends Columns, const T extends TableTerms<NameOf<C>>>(
  name: string,
  columns: C,
  terms?: T,
): Table<C, GroupsOf<T>> {
  type Own = RowOf<C, GroupsOf<T>>;
  const { groups = {}, indexes = {}, since, work }: TableTerms<string> = terms ?? {};
  const owned = new Set<string>();

  /** Compiles how a field is read and written, because every row goes through this code. */
  function fieldOf(group: Group<string>): Field {
    if (typeof group !== 'string') return objectField(Object.entries(group).map(compiled));
    const codec = columns[group]?.codec;
    if (codec === undefined) throw new Error(`${name} has no column ${group}.`);
    const place = `${name}.${group}`;
    const isOwner = !owned.has(group);
    owned.add(group);
    return {
      read(selected) {
        const stored = selected[group] ?? undefined;
        return stored === undefined ? undefined : codec.decode(stored as StoredValue, place);
      },
      write(written, value) {
        if (value !== undefined) written[group] = codec.encode(value);
        else if (isOwner) written[group] = null;
      },
    };
  }
  const compiled = ([field, group]: [string, Group<string>]): [string, Field] => [
    field,
    fieldOf(group),
  ];

  const grouped = Object.entries(groups).map(compiled);
  const plain = Object.keys(columns).filter((of) => !owned.has(of));
  const fields = new Map([...plain.map((of) => compiled([of, of])), ...grouped]);
  return {
    name,
    columns,
    since,
    work,
    indexes: Object.fromEntries(
      Object.entries(indexes).map(([index, on]) => [index, 'on' in on ? on : { on }]),
    ),
    read(selected) {
      const row: Values = {};
      for (const [field, { read }] of fields) row[field] = read(selected);
      return row as Own;
    },
    write(row) {
      const written: Values = {};
      for (const [field, { write }] of fields) write(written, (row as Values)[field]);
      return written as Written<C>;
    },
    change(changed) {
      const written: Values = {};
      for (const [field, value] of Object.entries(changed))
        fields.get(field)?.write(written, value);
      return written as Partial<Written<C>>;
    },
  };
}

function objectField(fields: [string, Field][]): Field {
  return {
    read(selected) {
      const value: Values = {};
      for (const [name, { read }] of fields) {
        const part = read(selected);
        if (part === undefined) return undefined;
        value[name] = part;
      }
      return value;
    },
    write(written, value) {
      for (const [name, { write }] of fields) write(written, (value as Values | undefined)?.[name]);
    },
  };
}
