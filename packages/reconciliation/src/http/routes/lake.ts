import {
  lakeRecordSchema,
  lakeVerificationSchema,
  noQuery,
} from '@financing-checkout/contract/reconciliation';
import { Hono } from 'hono';
import { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';
import { verifyLake } from '../../lake/verify.ts';
import { Mutex } from '../../platform/mutex.ts';
import { type Env, clientSignal, serve } from '../context.ts';
import { ofChange, operation, reading } from '../operation.ts';
import { record } from '../trail.ts';

const refusals = ['lake-not-configured', 'lake-unavailable'] as const;

export const lakeOperations = {
  write: operation({
    ...ofChange,
    path: '/lake',
    summary: 'Write what has changed to the lake',
    description:
      'The process also does this after each sync, after each close, and within minutes of other changes. Responds when the manifest has been replaced.',
    scope: 'rebuild',
    body: { schema: z.strictObject({}) },
    answers: { 200: { schema: lakeRecordSchema } },
    problems: [...refusals, 'sync-busy', 'storage-full', 'standby'],
  }),
  verification: reading('/lake/verification', 'Verification of the lake', lakeVerificationSchema, {
    description:
      'Reads each file of the manifest: its SHA-256, its rows, and that the fundings of each day are those that were proven. The statements of each closed period follow from the files and are compared with its seal.',
    query: noQuery,
    problems: [...refusals, 'storage-full'],
  }),
};

export function lakeRoutes(engine: Engine): Hono<Env> {
  const app = new Hono<Env>();
  /** Each verification opens an in-memory database, so only one runs at a time. */
  const verifying = new Mutex();

  serve(app, lakeOperations.write, async (c, input) => {
    input.body();
    const leader = await engine.requireLeader();
    const action = { kind: 'export', subject: 'lake', detail: {} } as const;
    return c.json(await record(engine, c, action, () => leader.writeLake()));
  });

  serve(app, lakeOperations.verification, async (c, input) => {
    input.query();
    const signal = clientSignal(c);
    return c.json(await verifying.run(() => verifyLake(engine.lake(), signal), signal));
  });
  return app;
}
