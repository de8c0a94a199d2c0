/**
 * Reads a newline-delimited JSON response line by line as it arrives.
 * @throws {SyntaxError} if a line is not JSON, for example because the response was truncated
 */
export async function* linesOf<Line>(body: ReadableStream<Uint8Array>): AsyncGenerator<Line> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value = '' } = await reader.read();
      const lines = (rest + value).split('\n');
      rest = done ? '' : (lines.pop() ?? '');
      for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as Line;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
