import { chargeOperationSchema } from '@financing-checkout/contract/back-office';
import { type Attributes, context, propagation, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { problem, type TestCompanion } from './companion/companion.fixture.ts';
import { temporaryFolder } from './facts/facts.fixture.ts';
import { anna, at, openBooks } from './periods/periods.fixture.ts';
import { createProgram } from './program.ts';
import { configure, run, shopDays, startShop } from './program.fixture.ts';

let exporter: InMemorySpanExporter;
beforeEach(() => {
  exporter = new InMemorySpanExporter();
});
afterEach(() => {
  trace.disable();
  context.disable();
  propagation.disable();
});

/** Registers what `NodeSDK` of OpenTelemetry registers, with spans in memory. */
function registerSdk(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
  );
}

const idOf = (span: ReadableSpan) => span.spanContext().spanId;

/** Returns the names of a span's ancestors, the nearest first. */
function parentsOf({ parentSpanContext }: ReadableSpan): string[] {
  const parent = exporter.getFinishedSpans().find((one) => idOf(one) === parentSpanContext?.spanId);
  return parent === undefined ? [] : [parent.name, ...parentsOf(parent)];
}

/** Returns the attributes of the last span with a name. */
function lastOf(name: string): Attributes {
  const found = exporter.getFinishedSpans().findLast((span) => span.name === name);
  if (found === undefined) throw new Error(`There is no span ${name}.`);
  return found.attributes;
}

/** Records the `traceparent` of each request, by its path. */
function traceparentsOf(companion: TestCompanion): Map<string, unknown> {
  const received = new Map<string, unknown>();
  companion.before = (request) => {
    received.set((request.url ?? '').split('?')[0] ?? '', request.headers.traceparent);
    return false;
  };
  return received;
}

test('exports a span for each request, named after its route', async () => {
  registerSdk();
  const { app } = createProgram(configure(await startShop(0)));
  await app.request('/livez');
  await app.request('/orders/order%3AA-1');
  const spans = exporter.getFinishedSpans().map(({ name, attributes }) => ({
    name,
    status: attributes['http.response.status_code'],
    problem: attributes['financing.problem'],
  }));
  expect(spans).toEqual([
    { name: 'GET /livez', status: 200, problem: undefined },
    { name: 'GET /orders/:orderKey', status: 503, problem: 'not-ready' },
  ]);
});

test('exports a sync with its pages and its pass, and continues its trace at the companion', async () => {
  registerSdk();
  const shop = await startShop(1);
  const traceparents = traceparentsOf(shop);
  const program = await run(configure(shop));
  await program.sync(shopDays());
  expect(lastOf('sync')).toMatchObject({
    'financing.outcome': 'complete',
    'financing.days_proven': 5,
    'financing.days_unproven': 0,
    'financing.records': 2,
    'financing.records_changed': 2,
    'financing.records_quarantined': 0,
  });
  const spans = exporter.getFinishedSpans();
  const pages = spans.filter(({ name }) => name === 'GET /fundings/pages');
  expect(new Set(pages.map((span) => parentsOf(span).join(' < ')))).toEqual(
    new Set(['sync < POST /syncs']),
  );
  expect(pages[0]?.attributes).toEqual({
    'http.request.method': 'GET',
    'url.template': '/fundings/pages',
    'server.address': '127.0.0.1',
    'http.response.status_code': 200,
  });
  const ledger = spans.filter(({ name }) => name === 'GET /ledger').map(parentsOf);
  expect(ledger).toContainEqual(['pass', 'sync', 'POST /syncs']);
  expect(lastOf('pass')).toMatchObject({ 'financing.orders_judged': 2 });
  const traceparent = String(traceparents.get('/fundings/pages'));
  expect(pages.map((span) => `00-${span.spanContext().traceId}-${idOf(span)}-01`)).toContain(
    traceparent,
  );
});

test('exports an import, an export, a close and a write of the lake', async () => {
  registerSdk();
  const books = await openBooks({ RECONCILIATION_LAKE: temporaryFolder() });
  const line = {
    merchantOrderId: 'B-1',
    type: 'settle',
    amount: 100,
    currency: 'USD',
    date: at(2),
  };
  const body = JSON.stringify({ ...line, transactionId: 't-1' });
  const headers = { ...anna, 'content-type': 'application/x-ndjson' };
  await books.program.app.request('/ledger', { method: 'POST', headers, body });
  await (await books.program.app.request('/exports/orders?format=csv', { headers: anna })).text();
  await books.close('P1');
  expect(lastOf('import')).toEqual({
    'financing.outcome': 'applied',
    'financing.lines': 1,
    'financing.lines_added': 1,
    'financing.lines_withdrawn': 0,
  });
  expect(lastOf('export')).toEqual({ 'financing.table': 'orders', 'financing.format': 'csv' });
  expect(lastOf('close')).toEqual({ 'financing.period': 'P1', 'financing.seal': 1 });
  expect(lastOf('lake')).toMatchObject({ 'financing.files_removed': 0 });
  const all = JSON.stringify(
    exporter.getFinishedSpans().map(({ name, attributes }) => [name, attributes]),
  );
  expect(all).not.toMatch(/A-[01]|B-1|mtx-|anna-token|companion-token/);
});

test('marks a refused call of the companion as failed, without the id in its path', async () => {
  registerSdk();
  const shop = await startShop(0);
  shop.before = (request, response) => {
    if (request.method !== 'POST') return false;
    problem(response, 409, 'charge-busy');
    return true;
  };
  const config = configure(shop);
  const { engine } = createProgram(config);
  const voided = engine.office.send({
    method: 'POST',
    path: 'charges/:id/voids',
    id: 'c-1',
    answer: chargeOperationSchema,
  });
  await expect(voided).rejects.toMatchObject({ problem: { code: 'charge-busy' } });
  const call = exporter.getFinishedSpans().at(-1);
  expect(call).toMatchObject({
    name: 'POST /charges/:id/voids',
    status: { code: SpanStatusCode.ERROR },
    attributes: { 'http.response.status_code': 409, 'financing.reason': 'status 409' },
  });
});

test('sends no traceparent without an SDK', async () => {
  const shop = await startShop(0);
  const traceparents = traceparentsOf(shop);
  const program = await run(configure(shop));
  await program.sync(shopDays());
  expect([...traceparents.keys()]).toContain('/fundings/pages');
  expect(new Set(traceparents.values())).toEqual(new Set([undefined]));
});
