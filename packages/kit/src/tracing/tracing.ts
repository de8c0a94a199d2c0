import {
  type Attributes,
  context,
  isSpanContextValid,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { AnsweredRequest } from '../http/requests.ts';

/** Attributes to set when a span ends; `failed` marks the span as an error. */
export interface SpanEnd {
  attributes: Attributes;
  failed: boolean;
}

/** A request that a listener is about to answer. */
export interface TracedRequest {
  listener: string;
  /** Returns the id that the request has once it is answered. */
  requestId: () => string;
  answer: () => Promise<AnsweredRequest>;
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const;

/**
 * Returns the headers that let another program continue the current trace, in the format of the
 * registered SDK (W3C `traceparent` by default); none without an SDK.
 */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** The spans of a program. */
export interface Tracing {
  /**
   * Runs `work` in an OpenTelemetry span if the process has registered an SDK
   * (`NODE_OPTIONS="--import ./telemetry.mjs"`), else in the API's no-op span. Records no exception,
   * because its message may contain input.
   */
  inSpan: <Result>(
    kind: keyof typeof kinds,
    name: string,
    attributes: Attributes,
    work: (span: Span) => Promise<Result>,
    end: (result: Result) => SpanEnd,
  ) => Promise<Result>;
  /** Answers a request in a span that is named after its route. */
  inRequestSpan: (request: TracedRequest) => Promise<AnsweredRequest>;
}

/** @param tracer name of the package that creates the spans */
export function createTracing(tracer: string): Tracing {
  const inSpan: Tracing['inSpan'] = (kind, name, attributes, work, end) => {
    const options = { kind: kinds[kind], attributes };
    const span = trace.getTracer(tracer).startSpan(name, options);
    // The API's no-op span has no id, records nothing, and cannot be the parent of another span.
    if (!isSpanContextValid(span.spanContext())) return work(span);
    const spanned = async () => {
      try {
        const result = await work(span);
        if (span.isRecording()) {
          const { attributes, failed } = end(result);
          span.setAttributes(attributes);
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
        }
        return result;
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    };
    return context.with(trace.setSpan(context.active(), span), spanned);
  };
  return {
    inSpan,
    inRequestSpan: ({ listener, requestId, answer }) =>
      inSpan(
        'server',
        listener,
        { 'financing.listener': listener },
        async (span) => {
          const request = await answer();
          span.updateName(`${request.method} ${request.route ?? ''}`.trim());
          return request;
        },
        ({ method, route, status, code }) => ({
          attributes: {
            'http.request.method': method,
            'http.response.status_code': status,
            'financing.request_id': requestId(),
            // The SDK ignores attributes that are undefined.
            'http.route': route,
            'financing.problem': code,
          },
          failed: status >= 500,
        }),
      ),
  };
}
