/**
 * Streams a text piece by piece, so a long answer is never complete in memory. A failure breaks the
 * connection off: Hono's `stream` would end the answer regularly, and it would look complete.
 * @param first the piece that was read before the answer began
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
        // The client has left while the piece was read. That is not a failure.
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
