import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCompanion, order, PRIVATE_KEY } from '../companion.fixture.ts';
import { charged, gatewayTimeout } from '../scripted-service.fixture.ts';
import { countExposed } from '../secrecy.fixture.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${TRACE_ID}-b7ad6b7169203331-01`;

let exporter: InMemorySpanExporter;
beforeEach(() => {
  exporter = new InMemorySpanExporter();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
  );
});
afterEach(() => {
  trace.disable();
  context.disable();
});

const idOf = (span: ReadableSpan) => span.spanContext().spanId;
const brief = (span: ReadableSpan) => ({
  name: span.name,
  kind: span.kind,
  parent: exporter
    .getFinishedSpans()
    .find((other) => idOf(other) === span.parentSpanContext?.spanId)?.name,
  failed: span.status.code === SpanStatusCode.ERROR,
});
/** Returns only the spans that `work` ended. */
async function spansOf(work: () => Promise<unknown>): Promise<ReadableSpan[]> {
  const before = exporter.getFinishedSpans().length;
  await work();
  return exporter.getFinishedSpans().slice(before);
}

test('exports the calls of a prime and of a charge under their requests, and a lookup separately', async () => {
  const companion = await createCompanion();
  companion.service.on('POST /v2/post-sale/charges', gatewayTimeout);
  let id = '';
  const primes = await spansOf(async () => (id = await companion.open()));
  expect(primes.map(brief)).toEqual([
    {
      name: 'POST /v1/checkout/prime',
      kind: SpanKind.CLIENT,
      parent: 'POST /checkout/prime',
      failed: false,
    },
    { name: 'POST /checkout/prime', kind: SpanKind.SERVER, parent: undefined, failed: false },
  ]);
  const charges = await spansOf(() => companion.confirm(id));
  expect(charges.map(brief)).toEqual([
    {
      name: 'POST /v2/post-sale/charges',
      kind: SpanKind.CLIENT,
      parent: 'POST /checkout/:id/confirmation',
      failed: true,
    },
    {
      name: 'POST /checkout/:id/confirmation',
      kind: SpanKind.SERVER,
      parent: undefined,
      failed: false,
    },
  ]);
  companion.clock.advance(185_000);
  const looks = await spansOf(() => companion.background.runOnce());
  expect(looks.length).toBeGreaterThan(1);
  for (const look of looks) {
    expect(brief(look)).toMatchObject({ kind: SpanKind.CLIENT, parent: undefined });
    // The attribute links a lookup to its request.
    expect(look.attributes['financing.request_id']).toBe(
      charges[1]?.attributes['financing.request_id'],
    );
  }
  const spans = exporter.getFinishedSpans();
  expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(2 + looks.length);
});

test('a span records the outcome of its request or call and ends with it', async () => {
  const companion = await createCompanion();
  companion.service.on('POST /v2/post-sale/charges', gatewayTimeout);
  const id = await companion.open();
  const [call] = await spansOf(() => companion.confirm(id));
  expect(call?.attributes).toMatchObject({
    'url.template': '/v2/post-sale/charges',
    'financing.outcome': 'unknown',
    'financing.reason': 'server-error',
    'http.response.status_code': 504,
  });
  const [request] = await spansOf(() => companion.get('/checkout/unknown'));
  expect(request?.attributes).toMatchObject({
    'http.response.status_code': 404,
    'financing.problem': 'checkout-not-found',
  });
});

test('background work that a request starts belongs to no request', async () => {
  const companion = await createCompanion({ onChange: () => companion.background.wake() });
  companion.service.on('POST /v2/post-sale/charges', charged);
  const joined: unknown[] = [];
  companion.shop.on('POST /webhooks', () => {
    joined.push(trace.getActiveSpan());
    return { status: 204, text: '' };
  });
  companion.background.start();
  try {
    await companion.confirm(await companion.open());
    await expect.poll(() => joined.length).toBeGreaterThan(0);
  } finally {
    await companion.background.stop();
  }
  expect(joined.every((span) => span === undefined)).toBe(true);
});

test('does not join the trace of a page and propagates no trace to the service', async () => {
  const companion = await createCompanion();
  const headers = { traceparent, baggage: 'a=b', 'idempotency-key': 'key-1' };
  const body = { order: await companion.ticket(), environment: 'sandbox' };
  await companion.post('/checkout/prime', body, headers);
  const spans = exporter.getFinishedSpans();
  expect(spans).toHaveLength(2);
  for (const span of spans) expect(span.spanContext().traceId).not.toBe(TRACE_ID);
  const sent = companion.service.calls.map((call) => Object.keys(call.headers).sort());
  expect(sent).toEqual([['accept', 'authorization', 'content-type']]);
});

test('a request joins the active span of an HTTP instrumentation', async () => {
  const companion = await createCompanion();
  const spanContext = { traceId: TRACE_ID, spanId: 'b7ad6b7169203331', traceFlags: 1 };
  const around = trace.setSpanContext(context.active(), { ...spanContext, isRemote: true });
  await context.with(around, () => companion.open());
  const [call, request] = exporter.getFinishedSpans();
  expect(request?.parentSpanContext?.spanId).toBe(spanContext.spanId);
  expect(call?.spanContext().traceId).toBe(TRACE_ID);
});

test('exports no key, token or personal data', async () => {
  const companion = await createCompanion();
  companion.service.on('POST /v2/post-sale/charges', charged);
  const id = await companion.open();
  await companion.confirm(id);
  await companion.get(`/checkout/${id}?note=${order.consumer?.email}`);
  await companion.post(`/checkout/${PRIVATE_KEY}/cancellation`);
  await companion.post(`/checkout/${encodeURIComponent(PRIVATE_KEY)}/confirmation`, {
    note: PRIVATE_KEY,
  });
  await companion.office(`/checkouts?merchantOrderId=${order.merchantOrderId}`);
  await companion.background.runOnce();
  const exported = exporter
    .getFinishedSpans()
    .map(({ name, attributes, status, events, links }) => ({
      name,
      attributes,
      status,
      events,
      links,
    }));
  const text = JSON.stringify(exported);
  expect(exported.length).toBeGreaterThan(6);
  expect(countExposed([text])).toBe(0);
  for (const secret of [order.consumer?.email, 'Quill', id, 'session-token', 'confirmation-token'])
    expect(text).not.toContain(secret);
  expect(exported.every(({ events, links }) => events.length + links.length === 0)).toBe(true);
});
