import {
  journalExportSchema,
  journalOperations,
  journalRequestSchema,
} from '@financing-checkout/contract/reconciliation';
import { actorOf } from '@financing-checkout/kit/http';
import { Hono } from 'hono';
import { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';
import { exportJournal, listJournals, previewJournal } from '../../journals/export.ts';
import { traceJournal } from '../../journals/trace.ts';
import { ProblemError } from '../../platform/problem.ts';
import { inExportSpan } from '../../platform/tracing.ts';
import { type Env, clientSignal, serve } from '../context.ts';
import { ofChange, operation, routesOf } from '../operation.ts';
import { within } from '../period.ts';
import { record, recordFile } from '../trail.ts';

export const journalRouteTable = {
  ...routesOf(journalOperations),
  export: operation({
    ...ofChange,
    path: '/periods/:period/journal',
    summary: 'Export the journal of a closed period',
    description:
      'Stores the files for the target, which never change. Later exports to the same target in the same `detail` have only what is new since; without anything new, the response is the last export with status 200. Another `detail` is a journal of its own with all entries, and `otherDetail` names the export of the same money: import only one of both.',
    scope: 'periods',
    body: { schema: journalRequestSchema },
    answers: {
      201: { schema: journalExportSchema },
      200: { schema: journalExportSchema },
    },
    problems: [
      'period-not-found',
      'period-not-permitted',
      'period-changed',
      'journal-empty',
      'journal-refused',
      'standby',
    ],
  }),
};

export function journalRoutes(engine: Engine): Hono<Env> {
  const app = new Hono<Env>();

  serve(app, journalRouteTable.list, async (c, input) => {
    const isWithin = within(input.query(), engine.config.sync.zone);
    const exports = await listJournals(engine.periods(clientSignal(c)));
    return c.json({ exports: exports.filter(({ at }) => isWithin(at)) });
  });

  serve(app, journalRouteTable.chart, (c, input) => {
    input.query();
    return c.json(engine.config.chart.record());
  });

  serve(app, journalRouteTable.file, async (c, input) => {
    input.query();
    const seq = exportOf(c.req.param('export'));
    const found = (await engine.facts.journals()).find((one) => one.seq === seq);
    if (found === undefined) throw new ProblemError('journal-not-found');
    const { format, period } = found;
    const taken = { subject: 'journal', detail: { export: seq, period, format } };
    const content = await recordFile(engine, c, taken, () =>
      engine.facts.journalContent(seq, 'file'),
    );
    const name = `journal-${period}-${format}-${seq}.zip`;
    return c.body(new Uint8Array(content), 200, {
      'content-disposition': `attachment; filename="${name}"`,
      'content-type': 'application/zip',
    });
  });

  serve(app, journalRouteTable.orders, async (c, input) => {
    const { limit, ...part } = input.query();
    const request = { seq: exportOf(c.req.param('export')), ...part };
    return c.json(await traceJournal(engine.journals(clientSignal(c)), request, limit));
  });

  serve(app, journalRouteTable.preview, async (c, input) => {
    const { limit, format, detail } = input.query();
    const request = { period: c.req.param('period'), format, detail };
    return c.json(await previewJournal(engine.journals(clientSignal(c)), request, limit));
  });

  serve(app, journalRouteTable.export, async (c, input) => {
    const { by, format, detail } = input.body();
    const leader = await engine.requireLeader();
    const period = c.req.param('period');
    const action = {
      kind: 'journal',
      subject: period,
      detail: { format, detail },
      person: by,
    } as const;
    const write = () =>
      exportJournal(leader.journals(), { period, format, detail }, actorOf(c, by));
    const { record: found, isNew } = await record(
      engine,
      c,
      action,
      () => inExportSpan({ table: 'journal', format }, write),
      ({ record: { seq, sha256 }, isNew: isFirst }) => ({
        outcome: isFirst ? 'done' : 'nothing-new',
        detail: { export: seq, sha256 },
      }),
    );
    return c.json(found, isNew ? 201 : 200);
  });
  return app;
}

/** @throws {ProblemError} `journal-not-found` */
function exportOf(text: string): number {
  const seq = z.coerce.number().int().min(1).safeParse(text);
  if (!seq.success) throw new ProblemError('journal-not-found');
  return seq.data;
}
