import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  context,
  type ContextManager,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { afterEach, expect, test } from 'vitest';
import { createCompanion, order, PRIVATE_KEY } from '../companion.fixture.ts';
import { countExposed } from '../secrecy.fixture.ts';

interface RecordedSpan {
  name: string;
  kind: SpanKind | undefined;
  attributes: Attributes;
  status: SpanStatusCode | undefined;
  ended: boolean;
}

/** Registers a tracer that keeps its spans, as an SDK would. */
function register(): RecordedSpan[] {
  const spans: RecordedSpan[] = [];
  function begin(name: string, options: SpanOptions): Span {
    const record: RecordedSpan = {
      name,
      kind: options.kind,
      attributes: { ...options.attributes },
      status: undefined,
      ended: false,
    };
    spans.push(record);
    const span: Span = {
      spanContext: () => INVALID_SPAN_CONTEXT,
      setAttribute: () => span,
      setAttributes: (attributes) => (Object.assign(record.attributes, attributes), span),
      addEvent: () => span,
      addLink: () => span,
      addLinks: () => span,
      setStatus: ({ code }) => ((record.status = code), span),
      updateName: (changed) => ((record.name = changed), span),
      end: () => void (record.ended = true),
      isRecording: () => true,
      recordException: () => {
        throw new Error('An exception may hold input.');
      },
    };
    return span;
  }
  const tracer: Tracer = {
    startSpan: (name, options = {}) => begin(name, options),
    startActiveSpan<F extends (span: Span) => unknown>(
      name: string,
      ...rest: [F] | [SpanOptions, F] | [SpanOptions, Context, F]
    ): ReturnType<F> {
      const work = rest.at(-1) as F;
      const [options] = rest;
      return work(begin(name, typeof options === 'function' ? {} : options)) as ReturnType<F>;
    },
  };
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  return spans;
}

afterEach(() => trace.disable());

test('a registered SDK gets a span for each request and each call of the service', async () => {
  const spans = register();
  const companion = await createCompanion();
  companion.service.on('POST /v2/post-sale/charges', { status: 500, text: '' });
  const id = await companion.open();
  await companion.confirm(id);
  await companion.get('/checkout/unknown');

  expect(spans.map(({ name, kind, status }) => [name, kind, status])).toEqual([
    ['POST /checkout/prime', SpanKind.SERVER, undefined],
    ['POST /v1/checkout/prime', SpanKind.CLIENT, undefined],
    ['POST /checkout/:id/confirmation', SpanKind.SERVER, undefined],
    ['POST /v2/post-sale/charges', SpanKind.CLIENT, SpanStatusCode.ERROR],
    ['GET /checkout/:id', SpanKind.SERVER, undefined],
  ]);
  expect(spans.every(({ ended }) => ended)).toBe(true);
  expect(spans[3]?.attributes).toMatchObject({
    'url.template': '/v2/post-sale/charges',
    'financing.outcome': 'unknown',
    'financing.reason': 'server-error',
    'http.response.status_code': 500,
  });
  expect(spans[4]?.attributes).toMatchObject({
    'http.response.status_code': 404,
    'financing.problem': 'checkout-not-found',
  });
});

test('nothing of a key, a token or a person is in a span', async () => {
  const spans = register();
  const companion = await createCompanion();
  await companion.post(`/checkout/${encodeURIComponent(PRIVATE_KEY)}/confirmation`, {
    note: PRIVATE_KEY,
  });
  await companion.confirm(await companion.open());
  const text = JSON.stringify(spans);
  expect(countExposed([text])).toBe(0);
  expect(text).not.toContain(order.consumer?.email);
  expect(text).not.toMatch(/confirmation-token|session-token/);
});

test('the span of a call has that of its request as its parent', async () => {
  const active = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => active.getStore() ?? ROOT_CONTEXT,
    with: (inner, work, self, ...values) => active.run(inner, () => work.apply(self, values)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  context.setGlobalContextManager(manager);
  const parents = new Map<string, string | undefined>();
  let spans = 0;
  const startSpan: Tracer['startSpan'] = (name) => {
    parents.set(name, trace.getActiveSpan()?.spanContext().spanId);
    const spanId = String(++spans).padStart(16, '0');
    return trace.wrapSpanContext({ traceId: '1'.repeat(32), spanId, traceFlags: 0 });
  };
  const tracer = { startSpan } as Tracer;
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  try {
    await (await createCompanion()).open();
  } finally {
    context.disable();
  }
  expect([...parents]).toEqual([
    ['storefront', undefined],
    ['POST /v1/checkout/prime', '1'.padStart(16, '0')],
  ]);
});
