import { orders } from '../../../orders';

export async function GET(_request: Request, { params }: { params: Promise<{ id: string }> }) {
  const order = orders.get((await params).id);
  if (!order) return Response.json({ error: 'There is no such order.' }, { status: 404 });
  return Response.json({ status: order.status });
}
