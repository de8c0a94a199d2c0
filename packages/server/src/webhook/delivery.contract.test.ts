import { deliveriesSchema } from '@financing-checkout/contract/back-office';
import { afterAll, expect, test } from 'vitest';
import { createCompanion } from '../companion.fixture.ts';
import { START } from '../scripted-service.fixture.ts';
import { closeSharedStores, databaseKinds } from '../store/databases.fixture.ts';

afterAll(closeSharedStores);

test.each(databaseKinds)(
  'delays a failed message for its full random interval on $name',
  async ({ migrated }) => {
    const store = (await migrated()).open();
    const companion = await createCompanion({ store, random: () => 1 / 3 });
    companion.shop.on('POST /webhooks', { status: 500, text: '' });
    await companion.open();
    companion.clock.advance(3_600_000);
    await companion.background.runOnce();
    const { deliveries } = deliveriesSchema.parse((await companion.office('/webhooks')).body);
    expect(deliveries).toMatchObject([
      {
        state: 'waiting',
        tries: 1,
        reason: 'status 500',
        nextTryAt: new Date(START + 3_600_000 + 1_333).toISOString(),
      },
    ]);
  },
);
