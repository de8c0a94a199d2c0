import { createTracing } from '@financing-checkout/kit/tracing';

export { traceHeaders } from '@financing-checkout/kit/tracing';
export const { inSpan, inRequestSpan } = createTracing('@financing-checkout/reconciliation');

/** Writes an export in a span, which ends before the download begins. */
export function inExportSpan<Result>(
  { table, format }: { table: string; format: string },
  write: () => Promise<Result>,
): Promise<Result> {
  const attributes = { 'financing.table': table, 'financing.format': format };
  return inSpan('internal', 'export', attributes, write, () => ({ attributes: {}, failed: false }));
}
