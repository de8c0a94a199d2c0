/**
 * Reads an answer of newline-delimited JSON line by line, while it arrives.
 * @throws {SyntaxError} where a line is no JSON, as when the answer was cut off within it
 */
export async function* linesOf<Line>(body: ReadableStream<Uint8Array>): AsyncGenerator<Line> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
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
