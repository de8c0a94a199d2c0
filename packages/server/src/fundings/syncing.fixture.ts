import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../clock/clock.ts';
import {
  createCompanion,
  PRIVATE_KEY,
  ScriptedService,
  type Scripted,
} from '../companion.fixture.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { createFundingsSync, type FundingsSyncOptions } from '../node/fundings/sync-thread.ts';
import { silentLogger } from '../observe/logger.ts';
import { createServiceClient } from '../service/client.ts';
import { historyService, type WireRecord } from './history.fixture.ts';

const REPORT = '/v2/post-sale/fundings/report';
export const RECORDS_V1 = '/v1/post-sale/fundings/records';
export const RECORDS_V2 = '/v2/post-sale/fundings/records';

/** A companion with a file for its store, that reads fundings of a service with these records. */
export async function syncingCompanion(
  records: WireRecord[],
  change: Partial<FundingsSyncOptions> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'syncing-'));
  const file = join(folder, 'companion.db');
  const history = historyService(records);
  const service = new ScriptedService();
  let failing: Scripted | undefined;
  for (const path of [REPORT, RECORDS_V1, RECORDS_V2]) {
    service.on(`GET ${path}`, async ({ query }) => {
      if (failing) return failing;
      const page = await history.fetchPage({
        from: query.get('fromDate') ?? '1970-01-01',
        to: query.get('toDate') ?? '9999-01-01',
        offset: Number(query.get('offset')),
        limit: Number(query.get('limit')),
      });
      if (page.kind === 'failed') return { status: 503 };
      return { status: 200, text: new TextDecoder().decode(page.bytes) };
    });
  }
  const client = createServiceClient({
    baseUrl: 'https://service.example/',
    keys: [new PrivateKey(PRIVATE_KEY)],
    transport: service.transport,
    random: () => 0,
  });
  const fundingsSync = createFundingsSync({
    environment: 'sandbox',
    store: { kind: 'sqlite', file },
    service: client,
    logger: silentLogger,
    ...change,
    settings: { defaultCurrency: 'USD', pageSize: 20, ...change.settings },
  });
  const companion = await createCompanion(
    { fundingsSync, service: client, clock: systemClock },
    { file },
  );
  onTestFinished(async () => {
    await fundingsSync.stop();
    await companion.store.close();
    rmSync(folder, { recursive: true });
  });
  return {
    ...companion,
    fundingsSync,
    file,
    history,
    upstream: service,
    fail(answer: Scripted | undefined) {
      failing = answer;
    },
  };
}
