from meteor_e.base.arithmetic import add_in_order


def test_add_in_order_does_not_compensate_rounding_errors():
    assert add_in_order([1e16, 1.0, -1e16]) == 0.0
    assert add_in_order([0.1] * 10) == 0.9999999999999999
    assert add_in_order(iter([])) == 0.0
