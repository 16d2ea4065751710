export type RingBox = { width: number; height: number }

/** Places items around the centre of a box: earlier ones on the left, later ones on the right. */
export function placeOnRing<T extends { side: string }>(items: T[], { width, height }: RingBox): (T & { x: number; y: number })[] {
  const sides = { before: items.filter((item) => item.side === 'before'), after: items.filter((item) => item.side !== 'before') }
  const placeSide = (list: T[], centreAngle: number) =>
    list.map((item, i) => {
      const angle = centreAngle + (list.length === 1 ? 0 : (i / (list.length - 1) - 0.5) * Math.PI * 0.86)
      // Two distances in turn keep the labels of neighbours apart.
      const distance = list.length > 6 && i % 2 === 1 ? 0.72 : 1
      return {
        ...item,
        x: width / 2 + Math.cos(angle) * width * 0.34 * distance,
        y: height / 2 + Math.sin(angle) * height * 0.43 * distance,
      }
    })
  return [...placeSide(sides.before, Math.PI), ...placeSide(sides.after, 0)]
}
