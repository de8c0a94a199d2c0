import { showStatus } from '../../../orders';

export async function GET(_request: Request, { params }: { params: Promise<{ id: string }> }) {
  return showStatus((await params).id);
}
