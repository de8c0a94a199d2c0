import { fundingsSchema } from '@financing-checkout/contract/back-office';
import { isCurrency } from '@financing-checkout/contract/money';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { z } from 'zod';
import type { CheckoutContext } from '../checkout/context.ts';
import { serviceProblem } from '../service/problem.ts';
import { fundingPages, fundingsJson } from '../fundings/fundings.ts';
import { serve, serviceProblems } from '../platform/http/route.ts';
import type { Env } from '../platform/http/requests.ts';
import { describeError } from '../platform/logger.ts';
import { sha256 } from '../platform/id.ts';
import { ProblemError } from '../platform/problem.ts';
import type { FundingsOperation } from '../service/client.ts';
import { ofTokens, permit } from './access.ts';
import { inOrder, isInOrder, isoMoment, period } from './period.ts';

const fundings = {
  description:
    'The records, streamed page by page, then the unreadable records, if there are any. An answer without its closing bracket was cut off and is not complete.',
  schema: fundingsSchema,
};

/** Parses "false" as false, which a coerced boolean would turn into true. */
const flag = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] }).default(false);
const window = { ...period, showMissing: flag };

const reportQuery = z.strictObject(window).refine(isInOrder, inOrder);
const recordsQuery = z
  .strictObject({
    ...window,
    version: z.enum(['1', '2'], { error: 'must be 1 or 2' }).default('2'),
  })
  .refine(isInOrder, inOrder);
const wholeNumber = (most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value <= most, { error: `must be at most ${most}` });

const pagesQuery = z
  .strictObject({
    operation: z.enum(['report', 'records-v1', 'records-v2']).default('report'),
    from: isoMoment,
    to: isoMoment,
    offset: wholeNumber(999_999_999).default(0),
    limit: wholeNumber(20_000).default(1_000),
  })
  .refine(isInOrder, inOrder);

const report = permit('read', {
  method: 'get',
  path: '/fundings/report',
  summary: 'Fundings, by order',
  priorities: ['report'],
  budgets: ofTokens,
  maxBodyBytes: 0,
  description: 'Records of missing transactions are in it only with `showMissing`.',
  query: reportQuery,
  answers: { 200: fundings },
  problems: serviceProblems,
});

const records = permit('read', {
  method: 'get',
  path: '/fundings/records',
  summary: 'Fundings, by transaction (legacy)',
  priorities: ['report'],
  budgets: ofTokens,
  maxBodyBytes: 0,
  description: 'A mismatch is `UNRECONCILED` here, without the field that differs.',
  query: recordsQuery,
  answers: { 200: fundings },
  problems: serviceProblems,
});

const pages = permit('fundings', {
  method: 'get',
  path: '/fundings/pages',
  summary: 'A page of fundings, byte for byte',
  priorities: ['report'],
  budgets: ofTokens,
  maxBodyBytes: 0,
  description:
    'As the service sends it, missing transactions included. Reconciliation reads these pages: they hold the names and e-mail addresses of consumers. `If-None-Match` with the SHA-256 of a page, in hexadecimal and quoted, asks the service again and transfers the page only if it differs.',
  query: pagesQuery,
  answers: {
    200: { description: 'One page of the service.', schema: z.unknown() },
    304: { description: 'The service has sent the page of `If-None-Match`.', contentTypes: [] },
  },
  problems: serviceProblems,
});

export const fundingOperations = [report, records, pages];

/**
 * Creates the routes for fundings, as the service reports them.
 * @throws {TypeError} for a default currency that is not in ISO 4217
 */
export function fundingRoutes(
  ctx: Pick<CheckoutContext, 'environment' | 'store' | 'service' | 'defaultCurrency' | 'logger'>,
): Hono<Env> {
  const { defaultCurrency, environment, logger, service, store } = ctx;
  if (!isCurrency(defaultCurrency)) throw new TypeError('defaultCurrency is not an ISO 4217 code.');
  const app = new Hono<Env>();

  serve(app, report, (c, input) => {
    const query = input.query();
    return answerFundings(c, { ...query, operation: 'report' });
  });

  serve(app, records, (c, input) => {
    const { version, ...query } = input.query();
    return answerFundings(c, { ...query, operation: `records-v${version}` });
  });

  serve(app, pages, async (c, input) => {
    const query = { ...input.query(), showMissing: true };
    const result = await service.fundingsPage(query, {
      priority: 'report',
      requestId: c.get('requestId'),
    });
    if (result.kind !== 'accepted') throw serviceProblem(result, { movesMoney: false });
    const known = c.req.header('if-none-match');
    if (known !== undefined && known === `"${await sha256(result.body)}"`) return c.body(null, 304);
    return c.body(result.body, 200, { 'content-type': 'application/json' });
  });
  return app;

  async function answerFundings(
    c: Context<Env>,
    request: z.infer<typeof reportQuery> & { operation: FundingsOperation },
  ): Promise<Response> {
    const requestId = c.get('requestId');
    const pieces = fundingsJson((onUnreadable) =>
      fundingPages(
        { environment, service, store, defaultCurrency },
        request,
        requestId,
        onUnreadable,
      ),
    );
    // The first chunk is produced before the response starts, so that most failures still get an
    // error status.
    const first = await pieces.next();
    const stream = streamText(first, pieces, (error) =>
      logger.log('error', 'fundings-cut-off', {
        requestId,
        ...(error instanceof ProblemError ? { code: error.code } : describeError(error)),
      }),
    );
    c.header('content-type', 'application/json');
    return c.body(stream);
  }
}

/**
 * Streams text in chunks, so that a long response is never held in memory. A failure aborts the
 * connection: Hono's `stream` would end the response normally, so that it would look complete.
 * @param first the chunk that was read before the response started
 */
export function streamText(
  first: IteratorResult<string>,
  rest: AsyncGenerator<string>,
  onFailure: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isCancelled = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (first.done === true) controller.close();
      else controller.enqueue(encoder.encode(first.value));
    },
    async pull(controller) {
      try {
        const piece = await rest.next();
        // The client disconnected while the chunk was being read, which is not a failure.
        if (isCancelled) return;
        if (piece.done === true) controller.close();
        else controller.enqueue(encoder.encode(piece.value));
      } catch (error) {
        if (isCancelled) return;
        onFailure(error);
        controller.error(error);
      }
    },
    async cancel() {
      isCancelled = true;
      await rest.return(undefined);
    },
  });
}
