export type ConnectorBox = { left: number; right: number; top: number; height: number }

/** A curve from a box beside another to that one, in the coordinates of the frame around both. */
export function connectorPath(node: ConnectorBox, centre: ConnectorBox, frame: Pick<ConnectorBox, 'left' | 'top'>): string {
  const isBefore = node.right <= centre.left
  const from = { x: (isBefore ? node.right : node.left) - frame.left, y: node.top + node.height / 2 - frame.top }
  const to = { x: (isBefore ? centre.left : centre.right) - frame.left, y: centre.top + centre.height / 2 - frame.top }
  const bend = (to.x - from.x) / 2
  const [a, b] = [`${round(from.x)} ${round(from.y)}`, `${round(to.x)} ${round(to.y)}`]
  return `M${a}C${round(from.x + bend)} ${round(from.y)} ${round(to.x - bend)} ${round(to.y)} ${b}`
}

const round = (n: number) => Math.round(n * 10) / 10
