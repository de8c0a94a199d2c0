import { createTracing } from '@financing-checkout/kit/tracing';

export const { inSpan, inRequestSpan } = createTracing('@financing-checkout/server');
