import type { Funding } from '@financing-checkout/contract';

/**
 * `{"records": […]}` as it comes in: a report of a million records is never whole in memory. A
 * failure on the way cuts the answer off, so that it is not taken for a complete one.
 * @param first the page that was read before the answer began
 */
export function streamFundings(
  first: Funding[],
  rest: AsyncIterator<Funding[]>,
  onFailure: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let separator = '';
  const write = (page: Funding[]) => {
    if (page.length === 0) return '';
    const text = separator + page.map((funding) => JSON.stringify(funding)).join(',');
    separator = ',';
    return text;
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(`{"records":[${write(first)}`));
    },
    async pull(controller) {
      try {
        // Pages that filtering left empty add nothing: read on until there is something to send.
        for (;;) {
          const page = await rest.next();
          if (page.done === true) {
            controller.enqueue(encoder.encode(']}'));
            controller.close();
            return;
          }
          const text = write(page.value);
          if (text !== '') {
            controller.enqueue(encoder.encode(text));
            return;
          }
        }
      } catch (error) {
        onFailure(error);
        controller.error(error);
      }
    },
    async cancel() {
      await rest.return?.();
    },
  });
}
