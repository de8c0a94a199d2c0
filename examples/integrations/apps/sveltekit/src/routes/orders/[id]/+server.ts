import { showStatus } from '../../../../orders';

export const GET = ({ params }: { params: { id: string } }) => showStatus(params.id);
