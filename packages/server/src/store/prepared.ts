import type { CompiledQuery } from 'kysely';

/** A value that a database stores without conversion. */
type StoredValue = string | number | null;

/** Stands for a value of a statement, by its name. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A statement that is compiled once and takes its values at each call. */
export type Prepared<Values, Row = unknown> = (values: Values) => CompiledQuery<Row>;

/**
 * Compiles a statement at its first call and only fills in the values of later ones. Building and compiling
 * the statements of a prime each time took 0.3 of its 0.55 ms in the store.
 *
 * Values may stand only where the database takes a parameter: they must not decide the form of the
 * statement. Every call has the same names.
 *
 * @example
 * ```ts
 * const byId = prepare<{ id: string }, Row>(({ id }) =>
 *   db.selectFrom('checkouts').selectAll().where('id', '=', id),
 * );
 * const { rows } = await db.executeQuery(byId({ id: 'chk_…' }));
 * ```
 */
export function prepare<Values extends { [Name in keyof Values]: StoredValue }, Row = unknown>(
  build: (values: Values) => { compile: () => CompiledQuery<Row> },
): Prepared<Values, Row> {
  let compiled: CompiledQuery<Row> | undefined;

  function compile(values: Values): CompiledQuery<Row> {
    const placeholders = Object.keys(values).map((name) => [name, new Placeholder(name)]);
    return build(Object.fromEntries(placeholders) as Values).compile();
  }

  return function withValues(values) {
    compiled ??= compile(values);
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    );
    return { ...compiled, parameters };
  };
}
