export type RingBox = { width: number; height: number }

/** Where things stand around the one in the middle of a box: earlier on the left, later on the right. */
export function placeOnRing<T extends { side: string }>(items: T[], { width, height }: RingBox): (T & { x: number; y: number })[] {
  const sides = { before: items.filter((item) => item.side === 'before'), after: items.filter((item) => item.side !== 'before') }
  const placed = (list: T[], centre: number) =>
    list.map((item, i) => {
      const angle = centre + (list.length === 1 ? 0 : (i / (list.length - 1) - 0.5) * Math.PI * 0.86)
      // Two distances in turn, so that labels of neighbours do not lie on each other.
      const reach = list.length > 6 && i % 2 === 1 ? 0.72 : 1
      return { ...item, x: width / 2 + Math.cos(angle) * width * 0.34 * reach, y: height / 2 + Math.sin(angle) * height * 0.43 * reach }
    })
  return [...placed(sides.before, Math.PI), ...placed(sides.after, 0)]
}
