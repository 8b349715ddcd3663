;; Dot products of one int8 vector with a run of int8 rows.
;;
;; Memory is imported; rows lie one after the other, `stride` bytes apart (a multiple of 16, the
;; tail of a row is zeros). Values are within -127 and 127, so the sum of two products fits i16:
;; 2 * 127 * 127 = 32258 < 32767. That is why quantization never makes -128.
;; Rebuild kernel-bytes.ts with scripts/build-kernel.mjs after a change.
(module
  (import "kernel" "memory" (memory 1))
  (func (export "dots")
    (param $row i32)     ;; address of the first row
    (param $count i32)   ;; rows
    (param $stride i32)  ;; bytes of a row
    (param $query i32)   ;; address of the query
    (param $out i32)     ;; address of the results, one i32 per row
    (local $end i32)
    (local $step i32)
    (local $products v128)
    (local $left v128)
    (local $right v128)
    (local $sum v128)
    (local.set $end
      (i32.add (local.get $row) (i32.mul (local.get $count) (local.get $stride))))
    (block $done
      (loop $rows
        (br_if $done (i32.ge_u (local.get $row) (local.get $end)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $step (i32.const 0))
        (loop $chunks
          (local.set $left (v128.load (i32.add (local.get $row) (local.get $step))))
          (local.set $right (v128.load (i32.add (local.get $query) (local.get $step))))
          (local.set $products
            (i16x8.add
              (i16x8.extmul_low_i8x16_s (local.get $left) (local.get $right))
              (i16x8.extmul_high_i8x16_s (local.get $left) (local.get $right))))
          (local.set $sum
            (i32x4.add (local.get $sum) (i32x4.extadd_pairwise_i16x8_s (local.get $products))))
          (local.set $step (i32.add (local.get $step) (i32.const 16)))
          (br_if $chunks (i32.lt_u (local.get $step) (local.get $stride))))
        (i32.store (local.get $out)
          (i32.add
            (i32.add
              (i32x4.extract_lane 0 (local.get $sum))
              (i32x4.extract_lane 1 (local.get $sum)))
            (i32.add
              (i32x4.extract_lane 2 (local.get $sum))
              (i32x4.extract_lane 3 (local.get $sum)))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $row (i32.add (local.get $row) (local.get $stride)))
        (br $rows)))))
