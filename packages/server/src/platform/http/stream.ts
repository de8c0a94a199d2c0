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
