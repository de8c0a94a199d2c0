import { sql, Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ChargeAtService } from '../charges/charge.fixture.ts';
import { createCompanion } from '../companion.fixture.ts';
import { databaseKinds, type TestDatabase } from './databases.fixture.ts';
import { createKyselyStore } from './kysely-store.ts';
import { migrations } from './migrations.ts';

/** What a newer version's migrations do: more columns in every table, one more table. */
async function addToEveryTable({ dialect }: TestDatabase): Promise<void> {
  const db = new Kysely<unknown>({ dialect: dialect() });
  try {
    await db.transaction().execute(async (tx) => {
      for (const { name } of await tx.introspection.getTables()) {
        await tx.schema.alterTable(name).addColumn('of_tomorrow', 'text').execute();
        const count = (column: 'integer') =>
          tx.schema
            .alterTable(name)
            .addColumn('count_of_tomorrow', column, (made) => made.notNull().defaultTo(1));
        await count('integer').execute();
      }
      await tx.schema.createTable('things_of_tomorrow').addColumn('id', 'text').execute();
      await sql`insert into kysely_migration (name, timestamp) values ('9999-of-tomorrow', '')`.execute(
        tx,
      );
    });
  } finally {
    await db.destroy();
  }
}

describe.each(databaseKinds)(
  'a companion that runs on $name while the store is migrated by a newer one',
  (kind) => {
    test('makes charges, moves their money and tells the shop, before and after', async () => {
      const database = await kind.unmade();
      const store = createKyselyStore({ dialect: database.dialect() });
      onTestFinished(() => store.close());
      await store.migrate();
      const companion = await createCompanion({ store });
      const work = async (name: string) => {
        const merchantOrderId = `order-${name}`;
        const charge = new ChargeAtService(companion.service, {
          id: `charge-${name}`,
          merchantOrderId,
        });
        const { clock, service } = companion;
        service
          .on('POST /v1/checkout/prime', {
            status: 201,
            body: { id: `session-${name}`, applicationId: `application-${name}` },
          })
          .on('POST /v2/post-sale/charges', () => ({ status: 201, body: charge.wire() }));
        const id = await companion.open(`key-${name}`, { merchantOrderId });
        expect((await companion.confirm(id, `token-${name}`)).body.status).toBe('approved');
        const operate = async (operation: string, amount: number) => {
          const path = `/charges/charge-${name}/${operation}`;
          const headers = { 'idempotency-key': `${operation}-${name}` };
          return (await companion.officePost(path, { amount }, headers)).status;
        };
        expect(await operate('settles', 5_000)).toBe(201);
        charge.faults = ['lost-after'];
        expect(await operate('refunds', 2_000)).toBe(504);
        for (let minute = 0; minute < 3; minute++) {
          clock.advance(60_000);
          while ((await companion.background.runOnce()) > 0);
        }
        expect(await operate('refunds', 2_000)).toBe(201);
        const entries = await store.ledgerEntries({
          environment: 'sandbox',
          merchantOrderId,
          after: 0,
          limit: 10,
        });
        expect(entries.map(({ type, state }) => `${type} ${state}`)).toEqual([
          'Authorize accepted',
          'Settle accepted',
          'Refund unknown',
          'Refund accepted',
        ]);
        expect(
          companion
            .told()
            .filter((told) => told.merchantOrderId === merchantOrderId)
            .at(-1),
        ).toMatchObject({
          status: 'approved',
          chargeState: 'PartiallySettledPartiallyRefunded',
        });
      };
      await work('before');
      await addToEveryTable(database);
      await work('after');
      // Only a start is refused: by then the newer version is there to serve.
      await expect(store.migrate()).rejects.toThrow('run that version, or a later one');
    }, 30_000);
  },
);

test.each(databaseKinds)(
  'a migration on $name only adds, and nothing that who does not know of it would have to write',
  async ({ unmade }) => {
    const db = new Kysely<unknown>({ dialect: (await unmade()).dialect() });
    onTestFinished(() => db.destroy());
    const migrator = new Migrator({ db, provider: migrations });
    const columns = async () =>
      new Map(
        (await db.introspection.getTables()).flatMap((table) =>
          table.columns.map((column) => [`${table.name}.${column.name}`, column] as const),
        ),
      );
    let before = await columns();
    for (const name of Object.keys(await migrations.getMigrations()).sort()) {
      const { error } = await migrator.migrateTo(name);
      expect(error).toBeUndefined();
      const after = await columns();
      const tables = new Set([...before.keys()].map((key) => key.split('.')[0]));
      for (const [key, column] of after) {
        const known = before.get(key);
        if (known) expect([name, key, column]).toEqual([name, key, known]);
        else if (tables.has(key.split('.')[0])) {
          expect([name, key, column.isNullable || column.hasDefaultValue]).toEqual([
            name,
            key,
            true,
          ]);
        }
      }
      expect([name, [...before.keys()].filter((key) => !after.has(key))]).toEqual([name, []]);
      before = after;
    }
  },
);
