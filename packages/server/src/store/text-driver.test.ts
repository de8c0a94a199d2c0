import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import { expect, test } from 'vitest';
import { createCompanion } from '../companion.fixture.ts';
import { CHARGE, charged } from '../scripted-service.fixture.ts';
import { createKyselyStore } from './kysely-store.ts';
import { migratedMemory } from './sqlite.fixture.ts';

const asText = (value: unknown) => (typeof value === 'number' ? String(value) : value);

/** Returns a dialect whose driver returns each number as text, as some of PostgreSQL do. */
function textual(dialect: Dialect): Dialect {
  function textOf(connection: DatabaseConnection): DatabaseConnection {
    const executeQuery = connection.executeQuery.bind(connection);
    connection.executeQuery = async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
      const result = await executeQuery<Row>(query);
      const rows = result.rows.map((row) =>
        Object.fromEntries(
          Object.entries(row as object).map(([name, value]) => [name, asText(value)]),
        ),
      );
      return { ...result, rows: rows as Row[] };
    };
    return connection;
  }
  function createDriver(): Driver {
    const driver = dialect.createDriver();
    const acquire = driver.acquireConnection.bind(driver);
    driver.acquireConnection = async (options) => textOf(await acquire(options));
    return driver;
  }
  return {
    createDriver,
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

test("a checkout is charged over a merchant's driver that returns numbers as text", async () => {
  const store = createKyselyStore({ dialect: textual(await migratedMemory()) });
  const companion = await createCompanion({ store });
  companion.service.on(CHARGE, charged);
  const id = await companion.open();
  expect((await companion.confirm(id)).body).toMatchObject({ status: 'approved' });
  await companion.background.runOnce();
  expect(await store.findCheckout(id)).toMatchObject({
    orderChanged: false,
    amount: { value: expect.any(Number) as number },
    createdAt: expect.any(Number) as number,
    attentionTries: 0,
  });
  const entries = await store.ledgerEntries({ environment: 'sandbox', after: 0, limit: 10 });
  expect(entries.map((entry) => entry.id)).toEqual([1, 2]);
  const [attempt] = (await store.trace(id)).attempts.filter(({ kind }) => kind === 'charge');
  expect(attempt?.settle).toBe(true);
  const query = { environment: undefined, state: undefined, after: undefined, limit: 10 };
  expect((await store.listDeliveries(query)).map(({ tries }) => typeof tries)).toContain('number');
});
