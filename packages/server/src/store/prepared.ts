import type { CompiledQuery } from 'kysely';

/** What a database stores as it is. */
export type StoredValue = string | number | null;

/** Stands in a query for a value that is known later. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A statement that was built once, to be run with values. */
export type Prepared<Values, Row> = (values: Values) => CompiledQuery<Row>;

/**
 * Builds a statement once, with the query builder and its types, instead of for each request: on
 * the way of every checkout, building and compiling cost more than SQLite did.
 *
 * A value may only stand where a value is sent: it must not decide how the statement looks.
 *
 * @example
 * ```ts
 * const byId = prepare<{ id: string }, Row>(({ id }) =>
 *   db.selectFrom('checkouts').selectAll().where('id', '=', id),
 * );
 * const rows = await units.read(byId({ id: 'chk_…' }));
 * ```
 */
export function prepare<Values extends { [Name in keyof Values]: StoredValue }, Row>(
  build: (values: Values) => { compile: () => CompiledQuery<Row> },
): Prepared<Values, Row> {
  let made: { query: CompiledQuery<Row>; parameters: readonly unknown[] } | undefined;

  function compile() {
    const names = new Proxy({} as Values, {
      get: (_, name) => new Placeholder(String(name)),
    });
    const query = build(names).compile();
    return { query, parameters: query.parameters };
  }

  return function withValues(values) {
    made ??= compile();
    const { query, parameters } = made;
    return {
      ...query,
      parameters: parameters.map((parameter) =>
        parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
      ),
    };
  };
}
