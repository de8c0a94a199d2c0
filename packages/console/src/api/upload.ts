import { addressOf, answered, type ApiRequest, unreachable } from './client.ts';

export interface Upload {
  query: ApiRequest['query'];
  /** Receives the upload progress, from 0 to 1. At 1, the server has the file and is processing it. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

/**
 * Uploads a file and returns the JSON response. Only XMLHttpRequest reports upload progress.
 * @throws {ApiError}; `offline` may also mean that the file can no longer be read
 */
export async function upload<Answer>(path: string, file: Blob, upload: Upload): Promise<Answer> {
  const { query, onProgress, signal } = upload;
  const response = await new Promise<Response>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', addressOf(path, query));
    request.setRequestHeader('accept', 'application/json');
    request.setRequestHeader('financing-console', '1');
    request.setRequestHeader('content-type', file.type);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    request.upload.onload = () => onProgress(1);
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(new DOMException('The upload was cancelled.', 'AbortError'));
    request.onload = () => resolve(responseOf(request));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    if (signal.aborted) request.abort();
    else request.send(file);
  });
  return (await (await answered(response)).json()) as Answer;
}

function responseOf(request: XMLHttpRequest): Response {
  const { status, responseText } = request;
  const leader = request.getResponseHeader('financing-leader');
  const headers: Record<string, string> = leader === null ? {} : { 'financing-leader': leader };
  return new Response(responseText, { status, headers });
}
