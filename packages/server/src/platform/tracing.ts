import {
  type Attributes,
  context,
  isSpanContextValid,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

/** Attributes to set when a span ends; `failed` marks the span as an error. */
export interface SpanEnd {
  attributes: Attributes;
  failed: boolean;
}

/**
 * Runs `work` in an OpenTelemetry span if the process has registered an SDK
 * (`NODE_OPTIONS="--import ./telemetry.mjs"`), else in the API's no-op span. Records no exception,
 * because its message may contain input.
 */
export function inSpan<Result>(
  kind: 'server' | 'client',
  name: string,
  attributes: Attributes,
  work: (span: Span) => Promise<Result>,
  end: (result: Result) => SpanEnd,
): Promise<Result> {
  const options = { kind: kind === 'server' ? SpanKind.SERVER : SpanKind.CLIENT, attributes };
  const span = trace.getTracer('@financing-checkout/server').startSpan(name, options);
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
}
